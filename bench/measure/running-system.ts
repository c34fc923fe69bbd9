import { isDeepStrictEqual } from 'node:util';
import { ask, type Headers } from '../load/ask.ts';
import { requestBytes } from '../load/connection.ts';
import { SERVER_CORE } from '../machine/cores.ts';
import { freePort } from '../machine/free-port.ts';
import { type RunningProcess, startProcess } from '../machine/start-process.ts';
import { type Launch, type Surroundings, type System } from '../systems/system.ts';
import { CASES, FEDERATION_SECRET, type CaseId } from './cases.ts';

const START_LIMIT = 60_000;

export interface RunningSystem {
  readonly process: RunningProcess;
  readonly port: number;
  /** Milliseconds from its start to its first right answer. */
  readonly cold: number;
}

/** A request of each caller, and the length of the right answer where the system names it. */
export interface Requests {
  readonly requests: readonly Buffer[];
  readonly length: number | undefined;
}

/** Starts a system on the server core, and waits for its first right answer. */
export async function startSystem(
  system: System,
  surroundings: Surroundings,
  change: (launch: Launch) => Launch = (launch) => launch,
): Promise<RunningSystem> {
  const port = await freePort();
  const running = startProcess({ core: SERVER_CORE, ...change(system.launch(port, surroundings)) });
  while (performance.now() - running.began < START_LIMIT) {
    if (running.child.exitCode !== null || running.child.pid === undefined) break;
    const answer = await ask(port, '/graphql', CASES.typename.body).catch(() => undefined);
    if (answer?.status === 200 && isRight(answer.body, CASES.typename.data)) {
      return { process: running, port, cold: performance.now() - running.began };
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  await running.stop();
  throw new Error(`${system.label} did not start. ${running.complaint().slice(-300)}`);
}

/** Makes the requests of a case, once the system has answered it rightly: a wrong answer is not measured. */
export async function requestsOf(port: number, id: CaseId, callers: readonly Headers[]): Promise<Requests> {
  const { body, data, sessions, federation } = CASES[id];
  const gate: Headers = federation === true ? { 'x-federation-secret': FEDERATION_SECRET } : {};
  const headers = (sessions === 'shared' ? callers.slice(0, 1) : callers).map((each) => ({
    ...each,
    ...gate,
  }));
  const answer = await ask(port, '/graphql', body, headers[0]);
  if (answer.status !== 200 || !isRight(answer.body, data)) {
    throw new Error(`Wrong answer to ${id}, status ${answer.status}: ${answer.body.slice(0, 200)}`);
  }
  const length = answer.headers['content-length'];
  return {
    requests: headers.map((each) => requestBytes(body, each)),
    length: length === undefined ? undefined : Number(length),
  };
}

function isRight(body: string, data: object): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(body), { data });
  } catch {
    return false;
  }
}
