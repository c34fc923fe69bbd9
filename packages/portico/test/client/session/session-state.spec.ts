import { describe, expect, it } from 'vitest';
import { AmbiguousProjectNameError, PlatformResponse, SessionError } from '../../../src/client/index.js';
import { ResponseHeaders, VendorHeaders } from '../../../src/client/connection/headers.js';
import { LoadedProjects } from '../../../src/client/session/projects.js';
import { SessionCookies } from '../../../src/client/session/session-cookies.js';
import { SessionState } from '../../../src/client/session/session-state.js';

const BASE = new URL('http://platform.example/api/');
const ignore = (): void => undefined;

const emptyState = (): SessionState => new SessionState(new VendorHeaders('SVC'), () => 0);

function answer(...raw: string[]): PlatformResponse {
  return PlatformResponse.received(200, new ResponseHeaders(raw), Buffer.alloc(0), new URL('sessions', BASE));
}

function started(): SessionState {
  const state = emptyState();
  state.start('token-1', answer('Set-Cookie', 'a=1; Path=/', 'X-SVC-One', '1'), ignore, BASE);
  return state;
}

/** The counters that a late answer is known by, and the revision. */
const counters = (state: SessionState): number[] => [
  state.sessionGeneration,
  state.userGeneration,
  state.loginGeneration,
  state.revision,
];

describe('the state of a session', () => {
  it('is empty at first, and needs a token', () => {
    const state = emptyState();

    expect([state.token, state.headers(), counters(state)]).toStrictEqual([undefined, {}, [0, 0, 0, 0]]);
    expect(() => {
      state.requireToken();
    }).toThrow(new SessionError('There is no token: log in first.'));
  });

  it('has the token, the headers and the cookies of a login', () => {
    const state = started();

    expect(() => {
      state.requireToken();
    }).not.toThrow();
    expect(state.headers()).toEqual({ 'X-SVC-AuthToken': 'token-1', 'x-svc-one': '1' });
    expect(state.cookies.headerFor(BASE)).toBe('a=1');
    expect(counters(state)).toEqual([1, 1, 0, 2]);
  });

  it('has nothing of the one before after a login', () => {
    const state = started();
    state.start('token-2', answer('Set-Cookie', 'b=2; Path=/', 'X-SVC-Two', '2'), ignore, BASE);

    expect(state.headers()).toEqual({ 'X-SVC-AuthToken': 'token-2', 'x-svc-two': '2' });
    expect(state.cookies.headerFor(BASE)).toBe('b=2');
    expect(counters(state).slice(0, 3)).toEqual([2, 2, 0]);
  });

  it('is that of the same user after a new login of that user', () => {
    const state = started();
    state.start('token-2', answer(), ignore, BASE, true);

    expect(counters(state).slice(0, 3)).toEqual([2, 1, 0]);
  });

  it('names its headers in a fixed order, the token first', () => {
    const state = emptyState();
    state.start('t', answer('X-SVC-C', '3', 'X-SVC-A', '1', 'X-SVC-B', '2'), ignore, BASE);

    expect(Object.keys(state.headers())).toEqual(['X-SVC-AuthToken', 'x-svc-a', 'x-svc-b', 'x-svc-c']);
  });

  it('changes its revision only when something that it holds changes', () => {
    const state = started();
    const revisions = [
      ['X-SVC-AuthToken', 'token-1'],
      ['X-SVC-One', '1'],
      ['X-SVC-AuthToken', 'token-2'],
      ['X-SVC-One', '2'],
      ['Date', 'now'],
    ].map((raw) => {
      state.storeHeaders(state.sessionGeneration, answer(...raw));
      return state.revision;
    });

    expect(revisions).toEqual([2, 2, 3, 4, 4]);
    expect(state.headers()).toEqual({ 'X-SVC-AuthToken': 'token-2', 'x-svc-one': '2' });
    state.storeCookies(state.sessionGeneration, answer('Date', 'now'), ignore);
    expect(state.revision).toBe(4);
    state.storeCookies(state.sessionGeneration, answer('Set-Cookie', 'b=2; Path=/'), ignore);
    expect(state.revision).toBe(5);
  });

  it('takes nothing from an answer to an earlier session', () => {
    const state = started();
    state.storeHeaders(0, answer('X-SVC-AuthToken', 'late', 'X-SVC-One', 'late'));
    state.storeCookies(0, answer('Set-Cookie', 'late=1; Path=/'), ignore);

    expect(state.headers()).toEqual({ 'X-SVC-AuthToken': 'token-1', 'x-svc-one': '1' });
    expect(state.cookies.headerFor(BASE)).toBe('a=1');
  });

  it('reports cookies that no request would send, of which a redirect may have some', () => {
    const dropped: string[] = [];
    const state = emptyState();
    const store = (base?: URL): void => {
      const cookie = answer('Set-Cookie', 's=1; Path=/other');
      state.storeCookies(0, cookie, ({ problem }) => void dropped.push(problem), base);
    };

    store();
    expect(dropped).toEqual([]);
    store(BASE);
    expect(dropped).toEqual(['path']);
  });

  it('counts the age of a cookie by the clock of the platform', () => {
    const state = emptyState();
    state.storeCookies(
      0,
      answer(
        'Date',
        'Thu, 01 Jan 1970 00:10:00 GMT',
        'Set-Cookie',
        's=1; Expires=Thu, 01 Jan 1970 00:11:00 GMT',
      ),
      ignore,
    );

    expect(state.cookies.list()[0]?.expires).toBe('1970-01-01T00:01:00.000Z');
  });

  it('has neither token nor cookies once its token is dropped, and late answers bring nothing back', () => {
    const state = started();
    state.dropToken();
    state.storeHeaders(1, answer('X-SVC-AuthToken', 'late'));

    expect(state.token).toBeUndefined();
    expect(state.headers()).toEqual({ 'x-svc-one': '1' });
    expect(state.cookies.headerFor(BASE)).toBe('');
    expect(counters(state)).toEqual([2, 2, 1, 3]);
  });

  it('stays when logins are refused', () => {
    const state = started();
    state.refuseLogins();

    expect(counters(state)).toEqual([1, 1, 1, 2]);
    expect(state.token).toBe('token-1');
  });

  it.each([
    [true, [1, 1, 0, 3]],
    [false, [2, 2, 1, 3]],
  ])('is replaced by another, as the same session: %s', (isSameSession, expected) => {
    const state = started();
    const cookies = new SessionCookies(() => 0);
    state.replace({ 'X-SVC-Two': '2', 'x-svc-authTOKEN': 'token-2', Other: '3' }, cookies, isSameSession);

    expect(state.headers()).toEqual({ 'X-SVC-AuthToken': 'token-2', 'x-svc-two': '2' });
    expect(state.cookies).toBe(cookies);
    expect(counters(state)).toEqual(expected);
  });

  it('may be replaced by one without a token', () => {
    const state = started();
    state.replace({ 'X-SVC-Two': '2' }, new SessionCookies(() => 0), false);

    expect([state.token, state.headers()]).toStrictEqual([undefined, { 'x-svc-two': '2' }]);
  });
});

describe('answers that may still change a session', () => {
  const settled = async (promise: Promise<unknown>): Promise<boolean> => {
    let isSettled = false;
    void promise.finally(() => (isSettled = true));
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return isSettled;
  };

  it('are not waited for when there are none, or when what is waited for holds already', async () => {
    const { pendingAnswers } = emptyState();

    expect(await settled(pendingAnswers.until(() => false))).toBe(true);
    void pendingAnswers.count(() => new Promise(() => undefined));
    expect(await settled(pendingAnswers.until(() => true))).toBe(true);
    expect(await settled(pendingAnswers.until(() => false))).toBe(false);
  });

  it('are waited for until those that were in flight have ended, however they end, and no later ones', async () => {
    const { pendingAnswers } = emptyState();
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const calls = [first, second].map(({ promise }) => pendingAnswers.count(() => promise));
    const waiting = pendingAnswers.until(() => false);
    void pendingAnswers.count(() => new Promise(() => undefined));

    second.reject(new Error('lost'));
    await expect(calls[1]).rejects.toThrow('lost');
    expect(await settled(waiting)).toBe(false);
    first.resolve('answer');
    expect(await calls[0]).toBe('answer');
    expect(await settled(waiting)).toBe(true);
  });

  it('are waited for until the condition holds, which is asked after each', async () => {
    const { pendingAnswers } = emptyState();
    const first = Promise.withResolvers<undefined>();
    void pendingAnswers.count(() => new Promise(() => undefined));
    void pendingAnswers.count(() => first.promise);
    let asked = 0;
    let isRenewed = false;
    const waiting = pendingAnswers.until(() => {
      asked += 1;
      return isRenewed;
    });

    expect(asked).toBe(1);
    isRenewed = true;
    first.resolve(undefined);

    expect(await settled(waiting)).toBe(true);
    await settled(pendingAnswers.count(() => Promise.resolve()));
    expect(asked).toBe(2);
  });

  it('are not waited for once the signal aborts, which keeps no listener', async () => {
    const { pendingAnswers } = emptyState();
    void pendingAnswers.count(() => new Promise(() => undefined));
    const cancel = new AbortController();
    const removed: string[] = [];
    const remove = cancel.signal.removeEventListener.bind(cancel.signal);
    cancel.signal.removeEventListener = (type: string, listener: () => void): void => {
      removed.push(type);
      remove(type, listener);
    };
    const waiting = pendingAnswers.until(() => false, cancel.signal);

    expect(await settled(waiting)).toBe(false);
    cancel.abort();

    expect(await settled(waiting)).toBe(true);
    expect(removed).toEqual(['abort']);
    expect(await settled(pendingAnswers.until(() => false, cancel.signal))).toBe(true);
    expect(await settled(pendingAnswers.until(() => false, null))).toBe(false);
  });
});

describe('the projects of a session', () => {
  const list = [
    { id: 'A', name: 'Sales' },
    { id: 'B', name: 'Twin' },
    { id: 'C', name: 'Twin' },
    { id: 'D', name: 'Twin' },
  ];

  it('are found by id and by name once they were loaded', async () => {
    const projects = new LoadedProjects(started());
    expect(() => projects.index).toThrow(
      new SessionError('The projects have not been loaded: call loadProjects first.'),
    );

    await projects.load(() => Promise.resolve(list));

    const { index } = projects;
    expect([index.project('A'), index.project('X')]).toEqual([list[0], undefined]);
    expect([index.idOf('Sales'), index.idOf('sales')]).toEqual(['A', undefined]);
    expect(() => index.idOf('Twin')).toThrow(AmbiguousProjectNameError);
    expect(() => index.idOf('Twin')).toThrow(expect.objectContaining({ projectIds: ['B', 'C', 'D'] }));
  });

  it('belong to their user: another one has none, and the same one keeps them', async () => {
    const state = started();
    const projects = new LoadedProjects(state);
    await projects.load(() => Promise.resolve(list));

    state.start('token-2', answer(), ignore, BASE, true);
    expect(projects.index.idOf('Sales')).toBe('A');
    state.start('token-3', answer(), ignore, BASE);
    expect(() => projects.index).toThrow(SessionError);
  });

  it('that were asked for by an earlier user are not kept', async () => {
    const state = started();
    const projects = new LoadedProjects(state);
    await projects.load(() => Promise.resolve(list));

    const loading = projects.load(() => {
      state.start('token-2', answer(), ignore, BASE);
      return Promise.resolve([]);
    });

    await expect(loading).rejects.toMatchObject({ constructor: SessionError, kind: 'session-replaced' });
    expect(() => projects.index).toThrow(SessionError);
  });
});
