import { type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';

const READERS = 40;

describe('callers who hang up', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  /** The callers' own: one that others share may hold connections on which nothing is asked, and the end waits for them. */
  let connections: Agent;
  /** The answers that the platform has not given, by method. */
  let held: { readonly method: string; readonly response: ServerResponse }[];
  beforeEach(async () => {
    held = [];
    platform = await startScriptedPlatform({
      'POST auth/login': Array.from({ length: READERS }, (_, number) => loginAnswer(`token-${number}`)),
      '*': ({ method }, response) => void held.push({ method, response }),
    });
    connections = new Agent();
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterEach(async () => {
    for (const { response } of held) response.destroy();
    await connections.destroy();
    await app.close();
    await platform.close();
  });

  const logIn = (): Promise<string> => bearerHandle(app.graphql, { username: 'alice', password: 'password' });
  const logInAll = async (count: number): Promise<string[]> => {
    const handles: string[] = [];
    for (let n = 0; n < count; n += 1) handles.push(await logIn());
    return handles;
  };
  /** Asks until the caller hangs up; resolves with what came of it. */
  const ask = (query: string, handle: string, caller: AbortController): Promise<string> =>
    request(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
      body: JSON.stringify({ query }),
      signal: caller.signal,
      dispatcher: connections,
    }).then(({ body }) => body.text(), String);
  const heldNow = (count: number): Promise<void> => eventually(() => held.length === count);
  const aborted = (): number => held.filter(({ response }) => response.destroyed).length;

  it('abort their reads at the platform: 40 of 40', async () => {
    const handles = await logInAll(READERS);
    const caller = new AbortController();
    const asked = handles.map((handle) => ask('{ projects { id } }', handle, caller));
    await heldNow(READERS);

    caller.abort();

    await eventually(() => aborted() === READERS);
    await Promise.all(asked);
  });

  it('do not abort a read that another caller waits for, until that caller has left too', async () => {
    const handle = await logIn();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [ask('{ me { id } }', handle, first)];
    await heldNow(1);
    asked.push(ask('{ hasSession me { id } }', handle, second));
    // Its answer shows that all requests before it have been read.
    await app.graphql('{ hasSession }', { handle });
    first.abort();
    await asked[0];
    await app.graphql('{ hasSession }', { handle });
    expect(aborted()).toBe(0);

    second.abort();

    await eventually(() => aborted() === 1);
    expect(held).toHaveLength(1);
    await Promise.all(asked);
  });

  it('never abort an extension or a logout', async () => {
    const [extending = '', leaving = ''] = await logInAll(2);
    const caller = new AbortController();
    const asked = [
      ask('mutation { extend { expiresAt } }', extending, caller),
      ask('mutation { logout { loggedOut } }', leaving, caller),
    ];
    await heldNow(2);

    caller.abort();
    await Promise.all(asked);

    await app.graphql('{ hasSession }', { handle: extending });
    expect(held.map(({ method }) => method).sort()).toEqual(['POST', 'PUT']);
    expect(aborted()).toBe(0);
  });
});
