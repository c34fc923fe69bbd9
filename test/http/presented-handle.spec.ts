import { describe, expect, it } from 'vitest';
import { presentedHandle } from '../../src/http/caller.js';
import { UnclearHeaderError } from '../../src/http/address.js';
import { newHandle } from '../../src/session/handle.js';

const handle = newHandle();
const other = newHandle();
const NAME = '__Host-portico';

describe('the handle of a request', () => {
  it('is read from the bearer header', () => {
    const read = { handle: { handle, transport: 'bearer' }, foreignBearer: false, withCookie: false };
    expect(presentedHandle(`Bearer ${handle}`, undefined, NAME)).toEqual(read);
    expect(presentedHandle(`bearer  ${handle}`, undefined, NAME)).toEqual(read);
    expect(presentedHandle(` Bearer ${handle}\t`, undefined, NAME)).toEqual(read);
  });

  it('is read from the cookie among others', () => {
    expect(presentedHandle(undefined, `a=1; ${NAME}=${handle} ; b=2`, NAME)).toEqual({
      handle: { handle, transport: 'cookie' },
      foreignBearer: false,
      withCookie: true,
    });
  });

  it('is the bearer handle when both come, and the cookie is known to be there', () => {
    expect(presentedHandle(`Bearer ${handle}`, `${NAME}=${other}`, NAME)).toEqual({
      handle: { handle, transport: 'bearer' },
      foreignBearer: false,
      withCookie: true,
    });
  });

  it('is that of the cookie when the bearer token is foreign', () => {
    expect(presentedHandle('Bearer eyJhbGciOi.eyJz.c2ln', `${NAME}=${handle}`, NAME)).toEqual({
      handle: { handle, transport: 'cookie' },
      foreignBearer: true,
      withCookie: true,
    });
  });

  it.each<[string, string | undefined, string | undefined, object]>([
    ['nothing is sent', undefined, undefined, { foreignBearer: false, withCookie: false }],
    ['it comes with another scheme', `Basic ${handle}`, undefined, { foreignBearer: false }],
    ['it is too short', `Bearer ${handle.slice(1)}`, undefined, { foreignBearer: true }],
    ['something follows it', `Bearer ${handle} x`, undefined, { foreignBearer: false }],
    ['it is one of two', `Bearer ${handle}, Bearer ${other}`, undefined, { foreignBearer: false }],
    ['the cookie has another name', undefined, `portico=${handle}`, { withCookie: false }],
    ['another cookie quotes the name', undefined, `a="${NAME}=${handle}"`, { withCookie: false }],
    ['the cookie is malformed', undefined, `${NAME}=__proto__`, { withCookie: true }],
    ['the cookie is quoted', undefined, `${NAME}="${handle}"`, { withCookie: true }],
    ['the cookie is escaped', undefined, `${NAME}=%41${handle.slice(1)}`, { withCookie: true }],
  ])('is absent when %s', (_case, bearer, cookie, rest) => {
    expect(presentedHandle(bearer, cookie, NAME)).toMatchObject({ handle: undefined, ...rest });
  });

  it.each([
    ['comes twice', `${NAME}=${other}; ${NAME}=${handle}`],
    ['comes twice alike', `${NAME}=${handle}; ${NAME}=${handle}`],
    ['comes twice, once under a name with a tab', `${NAME}=${other}; ${NAME}\t=${handle}`],
    ['has a tab after its name', `${NAME}\t=${handle}`],
    ['has a space after its name', `${NAME} =${handle}`],
    ['has a tab before its name', `a=1;\t${NAME}=${handle}`],
    ['has no value', `a=1; ${NAME}`],
  ])('is refused when the session cookie %s', (_case, cookie) => {
    expect(() => presentedHandle(undefined, cookie, NAME)).toThrow(UnclearHeaderError);
    expect(() => presentedHandle(`Bearer ${handle}`, cookie, NAME)).toThrow(UnclearHeaderError);
  });
});
