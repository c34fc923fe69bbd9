import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMING } from '../../../packages/portico/test/client/connection/raw-answers/framing.rows.js';
import { HEADS } from '../../../packages/portico/test/client/connection/raw-answers/head.rows.js';
import { CODINGS, TEXTS } from '../../../packages/portico/test/client/connection/raw-answers/label.rows.js';
import {
  givenBy,
  type Gives,
  type Row,
  value,
} from '../../../packages/portico/test/client/connection/raw-answers/row.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  head,
  type RawAnswer,
  startRawAnswerServer,
} from '../../../packages/portico/test/support/embedded-platform/raw-answer-server.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';

const READ = 'GET sessions/userInfo';
const LOGIN = { parts: head('HTTP/1.1 204 No Content', 'X-SVC-AuthToken: abc') };
const PROTOCOL = { code: 'UPSTREAM_PROTOCOL' };

/** What a caller who asks for the user sees, by what the client gives for the answer. */
function seen(gives: Gives): object {
  if ('text' in gives) return userIn(String(gives.text)) ?? PROTOCOL;
  switch (gives.kind) {
    case 'session-expired':
      return { code: 'UNAUTHENTICATED', reason: 'SESSION_EXPIRED' };
    case 'unreachable':
      return { code: 'UPSTREAM_UNAVAILABLE', reason: gives.reason };
    case 'unknown':
      return { code: 'UNKNOWN_PLATFORM_ERROR' };
    default:
      return PROTOCOL;
  }
}

/** Undefined for a text that is no JSON object. */
function userIn(text: string): { id: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { id: null, ...value } : undefined;
  } catch {
    return undefined;
  }
}

describe.each(['got', 'undici'] as const)('through the facade, by %s,', (transport) => {
  const answers: Record<string, RawAnswer> = { 'POST auth/login': LOGIN };
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    const { baseUrl } = await startRawAnswerServer(answers);
    app = await startApp({ PLATFORM_BASE_URL: baseUrl, PLATFORM_TRANSPORT: transport });
    handle = await bearerHandle(app.graphql, { username: 'user', password: 'password' });
  });
  afterAll(() => app.close());

  /** The user, or the code and the reason of the error. */
  const me = async (answer: RawAnswer): Promise<unknown> => {
    answers[READ] = answer;
    const { data, errors } = await app.graphql('{ me { id } }', { handle });
    if (errors === undefined) return data.me;
    expect(errors).toHaveLength(1);
    const { code, reason } = errors[0]?.extensions ?? {};
    return { code, ...(reason === undefined ? {} : { reason }) };
  };

  describe.each<[string, readonly Row[]]>([
    ['an answer', FRAMING],
    ['an answer with', HEADS],
    ['a body in', CODINGS],
    ['a body in', TEXTS],
  ])('%s', (_group, rows) => {
    it.each(rows.map((row): [string, Row] => [row.title, row]))('%s', async (_title, row) => {
      const gives = givenBy(transport, row);
      const isEnd = 'kind' in gives && gives.kind === 'session-expired';

      expect(await me(row)).toEqual(seen(gives));

      // Nothing but the platform's own word ends a session.
      expect((await app.graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: !isEnd });
      if (isEnd) handle = await bearerHandle(app.graphql, { username: 'user', password: 'password' });
      expect(await me({ parts: value() })).toEqual({ id: 'U' });
    });
  });
});
