import { describe, expect, it } from 'vitest';
import { checkSettings, parseSettings } from '../../src/config/parse-settings.js';

const HTTPS = { PLATFORM_BASE_URL: 'https://analytics.example/api' };
const HTTP = { PLATFORM_BASE_URL: 'http://analytics.example/api' };

describe('the proxy to the platform', () => {
  it.each([
    [
      'HTTPS_PROXY for an https platform',
      { ...HTTPS, HTTPS_PROXY: 'http://one.example:3128' },
      'http://one.example:3128',
    ],
    [
      'HTTP_PROXY for an http platform',
      { ...HTTP, HTTP_PROXY: 'http://one.example:3128' },
      'http://one.example:3128',
    ],
    ['either in lower case', { ...HTTPS, https_proxy: 'http://one.example:3128' }, 'http://one.example:3128'],
    ['either without a scheme', { ...HTTPS, HTTPS_PROXY: 'one.example:3128' }, 'http://one.example:3128'],
    ['not the one for the other scheme', { ...HTTPS, HTTP_PROXY: 'http://one.example:3128' }, undefined],
    [
      'PLATFORM_PROXY_URL before all of them',
      { ...HTTPS, HTTPS_PROXY: 'http://one.example:3128', PLATFORM_PROXY_URL: 'http://two.example:3128' },
      'http://two.example:3128',
    ],
    ['none to the embedded platform', { HTTP_PROXY: 'http://one.example:3128' }, undefined],
  ])('is %s', (_name, environment, expected) => {
    expect(parseSettings(environment).platformProxy).toBe(expected);
  });

  it('leaves out the hosts of no_proxy', () => {
    expect(parseSettings({ ...HTTPS, no_proxy: '.example' }).NO_PROXY).toBe('.example');
  });

  it('is an error that names the variable if it would be used and cannot be', () => {
    const { problems } = checkSettings({ ...HTTPS, HTTPS_PROXY: 'socks5://user:secret@one.example' });
    expect(problems).toEqual(['HTTPS_PROXY must be an http URL without path, query, or fragment']);
    expect(checkSettings({ ...HTTP, HTTPS_PROXY: 'socks5://one.example' }).problems).toEqual([]);
    expect(checkSettings({ HTTPS_PROXY: 'socks5://one.example' }).problems).toEqual([]);
    const own = { PLATFORM_PROXY_URL: 'http://two.example:3128', HTTPS_PROXY: 'socks5://one.example' };
    expect(checkSettings({ ...HTTPS, ...own }).problems).toEqual([]);
    expect(checkSettings(HTTPS, { HTTPS_PROXY: 7 }).problems).toEqual(problems);
  });
});
