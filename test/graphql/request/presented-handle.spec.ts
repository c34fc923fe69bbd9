import { describe, expect, it } from '@jest/globals';
import { presentedHandle } from '../../../src/graphql/request/presented-handle.js';
import { newHandle } from '../../../src/session/sealed/handle.js';

const handle = newHandle();
const NAME = '__Host-portico';

function read(headers: Record<string, string | string[] | undefined>, headerName = 'authorization'): unknown {
  return presentedHandle({ headers }, headerName, NAME);
}

describe('the handle of a request', () => {
  it('is read from the bearer header', () => {
    expect(read({ authorization: `Bearer ${handle}` })).toEqual({ handle, transport: 'bearer' });
    expect(read({ authorization: `bearer  ${handle}` })).toEqual({ handle, transport: 'bearer' });
  });

  it('is read from another header where that one is set', () => {
    expect(read({ 'x-portico-session': `Bearer ${handle}` }, 'x-portico-session')).toMatchObject({ handle });
    expect(read({ authorization: `Bearer ${handle}` }, 'x-portico-session')).toBeUndefined();
  });

  it('is read from the cookie among others', () => {
    expect(read({ cookie: `a=1; ${NAME}=${handle}; b=2` })).toEqual({ handle, transport: 'cookie' });
  });

  it.each([
    ['nothing is sent', {}],
    ['it comes both ways', { authorization: `Bearer ${handle}`, cookie: `${NAME}=${handle}` }],
    ['the cookie comes twice', { cookie: `${NAME}=${newHandle()}; ${NAME}=${handle}` }],
    ['it comes with another scheme', { authorization: `Basic ${handle}` }],
    ['it is too short', { authorization: `Bearer ${handle.slice(1)}` }],
    ['something follows it', { authorization: `Bearer ${handle} x` }],
    ['the cookie has another name', { cookie: `portico=${handle}` }],
    ['the cookie is malformed', { cookie: `${NAME}=__proto__` }],
    [
      'the cookie is there, malformed, beside a bearer',
      { authorization: `Bearer ${handle}`, cookie: `${NAME}=x` },
    ],
  ])('is none when %s', (_case, headers) => {
    expect(read(headers)).toBeUndefined();
  });
});
