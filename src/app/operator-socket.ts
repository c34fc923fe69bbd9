import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import {
  endSessions,
  listSessions,
  type OperatorSession,
  type SessionFilter,
} from '../session/operator-sessions.js';
import { type SessionStore } from '../session/store/session-store.js';

/** Systems allow about this many bytes in the path of a socket. */
const LONGEST_PATH = 107;
const NO_OTHERS = 0o177;
const LONGEST_FILTER = 4096;

/** The path of the socket beside the file of an embedded store. */
export function socketPath(storePath: string): string {
  return `${storePath}.sock`;
}

/**
 * Lets an operator on this machine list and end sessions of the embedded store, whose file only this process may
 * have open. Who may open the socket may open the file too. Without it, the service serves all the same.
 *
 * @returns what closes it; undefined if there can be none
 */
export async function openOperatorSocket(
  storePath: string,
  store: SessionStore,
): Promise<(() => Promise<void>) | undefined> {
  const path = socketPath(storePath);
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  // Left behind by a process that was killed: the file of the store is locked, so no other process serves it.
  rmSync(path, { force: true });
  const server = createServer((asked, answer) => {
    serve(store, asked, answer).catch((error: unknown) => {
      if (!answer.headersSent) answer.writeHead(503);
      answer.end(error instanceof Error ? error.message : '');
    });
  });
  const umask = process.umask(NO_OTHERS);
  server.listen(path);
  process.umask(umask);
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  server.unref();
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}

async function serve(store: SessionStore, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const filter = JSON.parse(await bodyOf(asked)) as SessionFilter;
  if (asked.url === '/end') {
    answer.end(`${JSON.stringify({ ended: await endSessions(store, filter) })}\n`);
    return;
  }
  for await (const sessions of listSessions(store, filter)) {
    const isTaken = answer.write(sessions.map((session) => `${JSON.stringify(session)}\n`).join(''));
    if (!isTaken) await once(answer, 'drain');
  }
  answer.end();
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of asked) {
    body += String(chunk);
    if (body.length > LONGEST_FILTER) throw new Error('the filter is too long');
  }
  return body;
}

/** The sessions of a service that runs on this machine. */
export interface RunningSessions {
  list(filter: SessionFilter): AsyncIterable<readonly OperatorSession[]>;
  end(filter: SessionFilter): Promise<number>;
}

/** Undefined if no service runs with this store. */
export async function runningSessions(storePath: string): Promise<RunningSessions | undefined> {
  const path = socketPath(storePath);
  if (!existsSync(path)) return undefined;
  const ask = async (url: string, filter: SessionFilter): Promise<IncomingMessage> => {
    // A connection that is kept would keep the process of the command alive.
    const asking = request({ socketPath: path, path: url, method: 'POST', agent: false });
    asking.end(JSON.stringify(filter));
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(await bodyOf(answer));
    return answer;
  };
  try {
    await bodyOf(await ask('/end', { accounts: [] }));
  } catch {
    return undefined;
  }
  return {
    list: async function* (filter) {
      for await (const line of createInterface({ input: await ask('/list', filter) })) {
        yield [JSON.parse(line) as OperatorSession];
      }
    },
    end: async (filter) => {
      const { ended } = JSON.parse(await bodyOf(await ask('/end', filter))) as { ended: number };
      return ended;
    },
  };
}
