import { type Attack } from './attack/play.ts';
import { NODE, of } from './parties.ts';

interface Sample {
  readonly id: string;
  readonly connections: number;
  readonly requests: number;
  readonly path: string;
  /** As measured from one network. */
  readonly before: string;
}

const NETWORKS = [1, 10, 100];
const SAMPLES: readonly Sample[] = [
  {
    id: 'pipeline',
    connections: 25,
    requests: 40_000,
    path: '/livez',
    before: 'the process dies after 14 s',
  },
  { id: 'pipeline-few', connections: 10, requests: 40_000, path: '/livez', before: "another's `me` 3.6 s" },
  { id: 'pipeline-404', connections: 50, requests: 40_000, path: '/x', before: "another's `me` 6.7 s" },
  {
    id: 'pipeline-graphql',
    connections: 200,
    requests: 10_000,
    path: '/graphql?query=%7BhasSession%7D',
    before: 'no answer in 10 s',
  },
];

/** Connections that cost more than their requests, beside a tenant with a network of their own. */
export const CONNECTIONS: readonly Attack[] = [
  ...SAMPLES.flatMap(pipelines),
  ...NETWORKS.map((networks): Attack => ({
    id: `held-sockets-${networks}`,
    what: `400 connections from ${of(networks)} that send a byte a second, and ignore the FIN after 408`,
    before: networks === 1 ? 'held for as long as they like' : '',
    node: NODE,
    networks,
    seconds: 30,
    platform: {},
    plan: { kind: 'slow-senders', connections: 400 },
  })),
];

/** No more networks than connections. */
function pipelines({ id, connections, requests, path, before }: Sample): Attack[] {
  return NETWORKS.filter((networks) => networks <= connections).map((networks) => ({
    id: `${id}-${networks}`,
    what: `${connections} connections from ${of(networks)} that each send ${requests.toLocaleString('en')} \`GET ${path}\` in one go and read nothing`,
    before: networks === 1 ? before : '',
    node: NODE,
    networks,
    seconds: 16,
    platform: {},
    plan: { kind: 'pipelines', connections, requests, path },
  }));
}
