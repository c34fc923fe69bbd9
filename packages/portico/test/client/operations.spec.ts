import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  PLATFORM_OPERATIONS,
  PlatformSession,
  type LoginCredentials,
  type PlatformOperation,
} from '../../src/client/index.js';
import { sessionWithToken } from '../support/client/logged-in.js';
import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { startScriptedPlatform } from '../support/embedded-platform/scripted-platform.js';

const DOCS = new URL('../../../../docs/', import.meta.url);

/** The endpoints of the specification, and the one that delegation needs. */
const ENDPOINTS = [
  'POST auth/login',
  'POST auth/delegate',
  'POST auth/logout',
  'POST auth/identityToken',
  'PUT sessions',
  'GET sessions',
  'GET sessions/userInfo',
  'GET projects',
];

/** The methods of a session that make no request of their own, besides those of its state. */
const WITHOUT_A_REQUEST = ['request', 'loadProjects', 'inSession'];

const routeOf = ({ method, path }: PlatformOperation): string => `${method} ${path}`;
const allNames = PLATFORM_OPERATIONS.flatMap(({ names }) => names);

describe('the list of operations', () => {
  it('has the endpoints of the specification', () => {
    expect(PLATFORM_OPERATIONS.map(routeOf)).toEqual(ENDPOINTS);
  });

  it('has every method of a session that makes a request', () => {
    const methods = Object.getOwnPropertyNames(PlatformSession.prototype).filter(
      (name) =>
        name !== 'constructor' &&
        typeof Object.getOwnPropertyDescriptor(PlatformSession.prototype, name)?.value === 'function',
    );

    const listed = [...allNames, ...WITHOUT_A_REQUEST];
    expect(
      methods.filter((name) => !listed.includes(name)),
      'connection/operations.ts has no line for them',
    ).toEqual([]);
    expect(
      listed.filter((name) => !methods.includes(name)),
      'PlatformSession has no such methods',
    ).toEqual([]);
  });

  it.each(
    PLATFORM_OPERATIONS.flatMap((operation) => operation.names.map((name) => [name, operation] as const)),
  )('says what %s asks for', async (name, operation) => {
    const platform = await startScriptedPlatform({ '*': { status: 204 } });
    const session = sessionWithToken(platform.baseUrl) as unknown as Record<
      string,
      (argument: LoginCredentials | string) => Promise<unknown>
    >;

    await session[name]?.(name === 'delegate' ? 'identity' : {}).catch(() => undefined);

    expect(platform.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([routeOf(operation)]);
  });

  it('has answers whose types the client exports', () => {
    const read = (path: string): string =>
      readFileSync(new URL(`../../src/client/${path}`, import.meta.url), 'utf8');
    const types = read('session/platform-session.ts').matchAll(/ \w+\([^)]*\): Promise<[^{]*/g);
    const named = [...types].flatMap(([text]) => text.match(/\b[A-Z]\w+/g) ?? []);
    const known = new Set([...(read('index.ts').match(/\w+/g) ?? []), 'Promise']);
    expect(named).toContain('PlatformProject');
    expect(
      named.filter((type) => !known.has(type)),
      'client/index.ts does not export them',
    ).toEqual([]);
  });

  it('is what docs/client.md describes', () => {
    const text = readFileSync(new URL('client.md', DOCS), 'utf8');
    const described = text.split(/^### /m).flatMap((section) => {
      const names = [...(section.split('\n', 1)[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
      return names.length === 0 ? [] : [{ names, section }];
    });

    for (const operation of PLATFORM_OPERATIONS) {
      const found = described.find(({ names }) => operation.names.every((name) => names.includes(name)));
      const section = found?.section.includes(`\`${routeOf(operation)}\``);
      expect(section, `docs/client.md has a section for ${operation.names.join(', ')}`).toBe(true);
    }
  });

  it('is known to the embedded platform, and described with it', async () => {
    await using platform = await startPlatform();
    const { baseUrl } = platform;
    const text = readFileSync(new URL('embedded-platform.md', DOCS), 'utf8');

    for (const { method, path } of PLATFORM_OPERATIONS) {
      const response = await fetch(`${baseUrl.replace(/\/?$/, '/')}${path}`, { method });
      const { code } = (await response.json().catch(() => ({}))) as { code?: string };

      expect(code, `the embedded platform has no ${method} ${path}`).not.toBe('ERR004');
      expect(
        text.includes(`\`${method} ${path}\``),
        `docs/embedded-platform.md has a row for ${method} ${path}`,
      ).toBe(true);
    }
  });
});
