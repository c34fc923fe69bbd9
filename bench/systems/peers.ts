import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPeer } from './build-peer.ts';
import { installPeer, runInPeer } from './install-peer.ts';
import { bearer, platformHeaders } from './login.ts';
import { PLAIN_FIGURES, SESSION_FIGURES, type System } from './system.ts';

const PEERS = new URL('../peers/', import.meta.url).pathname;

const LOGIN = 'mutation { login(input: {username: "demo", password: "demo"}) { handle } }';

/** A peer in one file that is written with the packages of this repository. */
function ownPeer(id: string, label: string): System {
  let built = '';
  return {
    id,
    label,
    figures: SESSION_FIGURES,
    loginQuery: LOGIN,
    prepare: async () => {
      built = await buildPeer(join(PEERS, `${id}.ts`));
    },
    launch: (port, { platform }) => ({
      args: [built],
      env: { NODE_ENV: 'production', PORT: `${port}`, PLATFORM: `${platform.origin}/api` },
    }),
    login: (port) => bearer(port, LOGIN),
  };
}

const nest = ownPeer('nest', 'Nest by hand');

/** Its logins cannot fail because the platform has closed an idle connection, like those of Portico (ADR 9). */
const nestWithNewConnections: System = {
  ...nest,
  id: 'nest-new',
  label: 'Nest by hand, logins on new connections',
  figures: ['login'],
  launch: (port, surroundings) => {
    const launch = nest.launch(port, surroundings);
    return { ...launch, env: { ...launch.env, LOGIN_CONNECTIONS: 'new' } };
  },
};

const hive: System = {
  id: 'hive',
  label: 'Hive Gateway',
  figures: PLAIN_FIGURES,
  prepare: async ({ folder, platform }) => {
    await installPeer('hive');
    const compose = 'node_modules/@graphql-mesh/compose-cli/esm/bin.js';
    const output = join(folder, 'supergraph.graphql');
    const env = { PLATFORM: `${platform.origin}/api` };
    await runInPeer('hive', process.execPath, [compose, '-c', 'mesh.config.js', '-o', output], env);
  },
  launch: (port, { folder }) => ({
    cwd: join(PEERS, 'hive'),
    args: [
      'node_modules/@graphql-hive/gateway/dist/bin.js',
      ...['supergraph', join(folder, 'supergraph.graphql')],
      ...['--host', '127.0.0.1', '--port', `${port}`, '--fork', '1'],
    ],
    env: { NODE_ENV: 'production' },
  }),
  login: (_port, { platform }) => platformHeaders(platform.port),
};

const BINARY = join(PEERS, 'tailcall/node_modules/@tailcallhq/core-linux-x64-gnu/bin/tailcall');

const tailcall: System = {
  id: 'tailcall',
  label: 'Tailcall',
  figures: PLAIN_FIGURES,
  prepare: async () => {
    await installPeer('tailcall');
    await runInPeer('tailcall', BINARY, ['--version']);
  },
  launch: (port, { folder, platform }) => {
    const file = join(folder, `tailcall-${port}.graphql`);
    const template = readFileSync(join(PEERS, 'tailcall/config.graphql'), 'utf8');
    writeFileSync(
      file,
      template.replaceAll('8000', `${port}`).replaceAll('http://platform', `${platform.origin}/api`),
    );
    return {
      command: BINARY,
      args: ['start', file],
      env: { TAILCALL_TRACKER: 'false', TAILCALL_LOG_LEVEL: 'error' },
    };
  },
  login: (_port, { platform }) => platformHeaders(platform.port),
};

/** Peers that are measured beside the service, nearest to the machine first. */
export const PEER_SYSTEMS: readonly System[] = [
  ownPeer('limit', 'limit (node:http + undici by hand)'),
  tailcall,
  nest,
  nestWithNewConnections,
  hive,
];
