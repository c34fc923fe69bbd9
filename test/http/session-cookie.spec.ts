import { describe, expect, it } from 'vitest';
import { sessionCookie, setCookieHeader } from '../../src/http/session-cookie.js';

describe('the session cookie', () => {
  it.each([
    ['https', 'graph.example'],
    ['http', 'localhost'],
    ['http', '127.0.0.1'],
    ['http', '[::1]'],
  ])('is bound to the host and Secure over %s to %s', (protocol, host) => {
    expect(sessionCookie(protocol, host)).toEqual({ name: '__Host-portico', secure: true });
  });

  it('is neither over plain HTTP to another host, where no browser would accept it', () => {
    expect(sessionCookie('http', 'graph.example')).toEqual({ name: 'portico', secure: false });
    expect(sessionCookie('http', 'localhost.evil.example')).toEqual({ name: 'portico', secure: false });
  });

  it('is HttpOnly, Lax and ends with the handle, whatever the clock of the browser says', () => {
    const header = setCookieHeader({ name: '__Host-portico', secure: true }, { handle: 'h', seconds: 60 });
    const end = /Expires=([^;]+)/.exec(header)?.[1] ?? '';
    expect(Math.abs(Date.parse(end) - Date.now() - 60_000)).toBeLessThan(5000);
    expect(header.split('; ').sort()).toEqual(
      [
        '__Host-portico=h',
        `Expires=${end}`,
        'HttpOnly',
        'Max-Age=60',
        'Path=/',
        'SameSite=Lax',
        'Secure',
      ].sort(),
    );
  });

  it('comes along from pages that another site frames if it is made for them, and only where it is Secure', () => {
    const cookie = sessionCookie('https', 'graph.example', 'none');
    expect(cookie.crossSite).toBe(true);
    const parts = setCookieHeader(cookie, { handle: 'h', seconds: 60 }).split('; ');
    expect(parts).toEqual(expect.arrayContaining(['SameSite=None', 'Partitioned', 'Secure', 'HttpOnly']));
    expect(sessionCookie('http', 'graph.example', 'none').crossSite).toBeUndefined();
    expect(setCookieHeader(sessionCookie('https', 'graph.example'), 'ended')).not.toContain('Partitioned');
  });

  it('is cleared by an empty one in the past', () => {
    expect(setCookieHeader({ name: 'portico', secure: false }, 'ended')).toMatch(
      /^portico=; Max-Age=0;.*1970/,
    );
  });
});
