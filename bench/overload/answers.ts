import { residentMegabytes } from '../machine/cost.ts';
import { p99, probeDuring, query, type Scenario, type Service, session, tally } from './scenario.ts';

const HEAVY = `{ ${Array.from({ length: 9 }, (_, n) => `a${n}: projects { raw }`).join(' ')} }`;
const CALLERS = 60;
const REST_MS = 10_000;

/** Answers that are far larger than their queries. */
export const ANSWERS: readonly Scenario[] = [
  {
    id: 'heavy',
    what: '60 queries of 170 bytes at once, for 16 MB each, on a heap of 384 MB',
    before: 'the process dies; 20 of them with a full heap: `/livez` after 14 s, 1.3 GB',
    node: ['--max-old-space-size=384'],
    run: async (service: Service): Promise<string> => {
      const headers = await session(service, 'big');
      const idle = residentMegabytes(service.pid);
      const load = Promise.all(Array.from({ length: CALLERS }, () => query(service, HEAVY, headers)));
      const probes = await probeDuring(service, load);
      const answers = await load;
      const most = residentMegabytes(service.pid);
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      const state = service.isAlive() ? 'alive' : 'DEAD';
      return `${state}, \`/livez\` p99 ${p99(probes)}; ${tally(answers)}; ${idle} MB before, ${most} MB at the end, ${residentMegabytes(service.pid)} MB 10 s later`;
    },
  },
  {
    id: 'deep',
    what: '`raw` that is 5,000 levels deep from the platform, beside a sibling field',
    before: 'HTTP 500, the siblings are lost, nothing in the log',
    run: async (service: Service): Promise<string> => {
      const { status, body } = await query(
        service,
        '{ me { id } projects { raw } }',
        await session(service, 'deep'),
      );
      const sibling = body.includes('"me":{"id"') ? 'the sibling is there' : 'the sibling is LOST';
      return `HTTP ${status}, ${sibling}, ${/"code":"(\w+)"/.exec(body)?.[1] ?? 'no error'}`;
    },
  },
];
