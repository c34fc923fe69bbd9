import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { type HeldSession, jsonOf, statusOf, Wire } from './wire.js';

const SESSION_INVALID = { status: 401, code: 'ERR009' };
const SESSION_OPERATIONS = [
  'POST auth/logout',
  'POST auth/identityToken',
  'PUT sessions',
  'GET sessions',
  'GET sessions/userInfo',
  'GET projects',
];

describe('a session of the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  let session: HeldSession;
  beforeEach(async () => {
    platform = await startPlatform({ idleSeconds: 600 });
    wire = new Wire(platform.baseUrl);
    session = await wire.loginAs('demo');
  });
  afterEach(() => platform.close());

  const seconds = (count: number): void => {
    platform.clock.advance(count * 1000);
  };

  describe.each(SESSION_OPERATIONS)('for %s', (operation) => {
    it('needs a token', async () => {
      await expectRefusal(wire.call(operation), SESSION_INVALID);
    });

    it('does not accept the token without its cookie', async () => {
      const { cookie: _, ...tokenOnly } = session.headers;

      await expectRefusal(wire.call(operation, { headers: tokenOnly }), SESSION_INVALID);
    });

    it('does not accept the token with the cookie of another session', async () => {
      const other = await wire.loginAs('demo');
      const headers = { ...session.headers, cookie: other.headers.cookie ?? '' };

      await expectRefusal(wire.call(operation, { headers }), SESSION_INVALID);
    });
  });

  it('ignores a bearer token', async () => {
    const headers = {
      authorization: `Bearer ${session.headers['X-SVC-AuthToken']}`,
      cookie: session.headers.cookie ?? '',
    };

    await expectRefusal(wire.call('GET sessions', { headers }), SESSION_INVALID);
  });

  it('finds its cookie among others, whatever the case of the token header', async () => {
    const headers = {
      'x-svc-AUTHTOKEN': session.headers['X-SVC-AuthToken'] ?? '',
      cookie: `AWSALB=one; JSESSIONID=ANOTHER; ${session.headers.cookie}; last=1`,
    };

    expect(await statusOf(wire.call('GET sessions', { headers }))).toBe(200);
  });

  it('returns its status', async () => {
    const response = await wire.call('GET sessions', { session });

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      locale: 1033,
      maxSearch: 3,
      workingSet: 10,
      timeout: 600,
      id: expect.stringMatching(/^[0-9A-F]{32}$/),
      fullName: 'Dana Demo',
      initials: 'DD',
    });
  });

  it('returns its user, without an id for a guest', async () => {
    const guest = await wire.login({ loginMode: 8 });

    expect(await jsonOf(wire.call('GET sessions/userInfo', { session }))).toEqual({
      id: expect.stringMatching(/^[0-9A-F]{32}$/),
      fullName: 'Dana Demo',
      initials: 'DD',
      metadataUser: true,
    });
    expect(await jsonOf(wire.call('GET sessions/userInfo', { session: guest }))).toEqual({
      fullName: 'Guest',
      initials: 'G',
      metadataUser: false,
    });
  });

  it('shows only the top-level fields that are asked for', async () => {
    expect(await jsonOf(wire.call('GET sessions?fields=timeout,nothing', { session }))).toEqual({
      timeout: 600,
    });
    expect(
      await jsonOf(wire.call('GET sessions/userInfo?fields=initials,%20metadataUser', { session })),
    ).toEqual({ initials: 'DD', metadataUser: true });
    expect(await jsonOf(wire.call('GET sessions/userInfo?fields=', { session }))).toHaveProperty('fullName');
  });

  it('is extended with 204 and no body', async () => {
    const response = await wire.call('PUT sessions', { session });

    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
  });

  it('times out after the whole idle time, not before', async () => {
    seconds(599.999);
    expect(await statusOf(wire.call('GET projects', { session }))).toBe(200);
    seconds(0.001);
    await expectRefusal(wire.call('GET projects', { session }), SESSION_INVALID);
    await expectRefusal(wire.call('PUT sessions', { session }), SESSION_INVALID);
  });

  it.each(['PUT sessions', 'GET sessions', 'HEAD sessions'])(
    'stays open for the whole idle time after %s',
    async (operation) => {
      seconds(599);
      await wire.call(operation, { session });
      seconds(599);
      expect(await statusOf(wire.call('GET projects', { session }))).toBe(200);
      seconds(1);
      await expectRefusal(wire.call('GET projects', { session }), SESSION_INVALID);
    },
  );

  it.each(['GET sessions/userInfo', 'GET projects', 'POST auth/identityToken'])(
    'is not extended by %s',
    async (operation) => {
      seconds(599);
      await wire.call(operation, { session });
      seconds(1);
      await expectRefusal(wire.call('GET sessions', { session }), SESSION_INVALID);
    },
  );

  it('ends with its logout, which ends no other session', async () => {
    const other = await wire.loginAs('demo');

    const response = await wire.call('POST auth/logout', { session });

    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    await expectRefusal(wire.call('GET sessions', { session }), SESSION_INVALID);
    await expectRefusal(wire.call('POST auth/logout', { session }), SESSION_INVALID);
    expect(await statusOf(wire.call('GET sessions', { session: other }))).toBe(200);
  });
});
