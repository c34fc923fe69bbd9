import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { type HeldSession, jsonOf, statusOf, Wire } from './wire.js';

const TOKEN_REFUSED = { status: 401, code: 'ERR003' };

describe('delegation on the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  let session: HeldSession;
  beforeEach(async () => {
    platform = await startPlatform({ idleSeconds: 600 });
    wire = new Wire(platform.baseUrl);
    session = await wire.loginAs('demo');
  });
  afterEach(() => platform.close());

  const delegate = (json: unknown): Promise<Response> => wire.call('POST auth/delegate', { json });
  const check = (token: string): Promise<Response> =>
    wire.call('GET auth/identityToken', { headers: { 'X-SVC-IdentityToken': token } });

  it('mints an identity token with 201, in the header and nowhere else', async () => {
    const response = await wire.call('POST auth/identityToken', { session });

    expect(response.status).toBe(201);
    expect(response.headers.get('x-svc-identitytoken')).toMatch(/^[0-9a-v]{26}$/);
    expect(await response.text()).toBe('');
  });

  it('opens a session of the same user, with its own token and cookie', async () => {
    const delegated = await wire.delegate(await wire.mintIdentityToken(session));

    expect(delegated.headers['X-SVC-AuthToken']).not.toBe(session.headers['X-SVC-AuthToken']);
    expect(delegated.headers.cookie).not.toBe(session.headers.cookie);
    expect(await jsonOf(wire.call('GET sessions/userInfo', { session: delegated }))).toMatchObject({
      fullName: 'Dana Demo',
    });
  });

  it('accepts the login mode as a string and in a form', async () => {
    const json = { loginMode: '-1', identityToken: await wire.mintIdentityToken(session) };
    const form = { loginMode: '-1', identityToken: await wire.mintIdentityToken(session) };

    expect(await statusOf(delegate(json))).toBe(204);
    expect(await statusOf(wire.call('POST auth/delegate', { form }))).toBe(204);
  });

  it('accepts an identity token once', async () => {
    const identityToken = await wire.mintIdentityToken(session);
    await wire.delegate(identityToken);

    await expectRefusal(delegate({ loginMode: -1, identityToken }), TOKEN_REFUSED);
    await expectRefusal(check(identityToken), TOKEN_REFUSED);
  });

  it('accepts an identity token for 60 seconds', async () => {
    const [first, second] = [await wire.mintIdentityToken(session), await wire.mintIdentityToken(session)];

    platform.clock.advance(59_999);
    expect(await statusOf(delegate({ loginMode: -1, identityToken: first }))).toBe(204);
    platform.clock.advance(1);
    await expectRefusal(delegate({ loginMode: -1, identityToken: second }), TOKEN_REFUSED);
  });

  it('says whether an identity token is valid without using it', async () => {
    const identityToken = await wire.mintIdentityToken(session);

    expect(await statusOf(check(identityToken))).toBe(200);
    expect(await statusOf(check(identityToken))).toBe(200);
    expect(await statusOf(delegate({ loginMode: -1, identityToken }))).toBe(204);
  });

  it('refuses an identity token that it did not mint', async () => {
    await expectRefusal(check('0123456789abcdefghijklmnop'), TOKEN_REFUSED);
    await expectRefusal(wire.call('GET auth/identityToken'), TOKEN_REFUSED);
    await expectRefusal(delegate({ loginMode: -1, identityToken: 'nobody-minted-it' }), TOKEN_REFUSED);
  });

  it('does not accept an authentication token as an identity token', async () => {
    const identityToken = session.headers['X-SVC-AuthToken'];

    await expectRefusal(delegate({ loginMode: -1, identityToken }), TOKEN_REFUSED);
  });

  it('ends an identity token with the session that minted it', async () => {
    const [loggedOut, timedOut] = [await wire.loginAs('demo'), await wire.loginAs('short-session')];
    const tokens = [await wire.mintIdentityToken(loggedOut), await wire.mintIdentityToken(timedOut)];

    await wire.call('POST auth/logout', { session: loggedOut });
    platform.clock.advance(5000);

    for (const token of tokens) {
      await expectRefusal(check(token), TOKEN_REFUSED);
      await expectRefusal(delegate({ loginMode: -1, identityToken: token }), TOKEN_REFUSED);
    }
  });

  it('ends both sessions when either logs out', async () => {
    const delegated = await wire.delegate(await wire.mintIdentityToken(session));
    await wire.call('POST auth/logout', { session: delegated });
    await expectRefusal(wire.call('GET sessions', { session }), { status: 401, code: 'ERR009' });

    const minter = await wire.loginAs('demo');
    const other = await wire.delegate(await wire.mintIdentityToken(minter));
    await wire.call('POST auth/logout', { session: minter });
    await expectRefusal(wire.call('GET sessions', { session: other }), { status: 401, code: 'ERR009' });
  });

  it('keeps an idle time for each of the two sessions', async () => {
    const delegated = await wire.delegate(await wire.mintIdentityToken(session));
    platform.clock.advance(599_000);
    await wire.call('PUT sessions', { session: delegated });
    platform.clock.advance(1000);

    await expectRefusal(wire.call('GET sessions', { session }), { status: 401, code: 'ERR009' });
    expect(await statusOf(wire.call('GET sessions', { session: delegated }))).toBe(200);
  });

  it.each([
    ['another login mode', { loginMode: 1, identityToken: 'x' }, 'ERR006'],
    ['a token that is not a string', { loginMode: -1, identityToken: 5 }, 'ERR006'],
    ['no login mode', { identityToken: 'x' }, 'ERR007'],
    ['no token', { loginMode: -1 }, 'ERR007'],
    ['an empty token', { loginMode: -1, identityToken: '' }, 'ERR005'],
  ])('refuses %s', async (_what, json, code) => {
    await expectRefusal(delegate(json), { status: 400, code });
  });

  it('mints no more tokens than it may hold, until the oldest have expired', async () => {
    await using small = await startPlatform({ maxSessions: 2 });
    const smallWire = new Wire(small.baseUrl);
    const minter = await smallWire.loginAs('demo');
    await smallWire.mintIdentityToken(minter);
    await smallWire.mintIdentityToken(minter);

    await expectRefusal(smallWire.call('POST auth/identityToken', { session: minter }), {
      status: 500,
      code: 'ERR001',
      iServerCode: -2147073423,
    });
    small.clock.advance(60_000);
    expect(await smallWire.mintIdentityToken(minter)).toMatch(/\w{26}/);
  });
});
