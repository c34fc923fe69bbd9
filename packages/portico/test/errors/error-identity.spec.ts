import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { build } from 'esbuild';
import * as client from '../../src/client/index.js';
import {
  isPlatformError,
  isSessionExpired,
  PlatformResponse,
  PlatformUnreachableError,
} from '../../src/client/index.js';
import { errorOfResponse } from '../../src/client/connection/response-error.js';

/** What a module exports when it is bundled and minified with the package as it was built. */
async function minified(contents: string) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    write: false,
    // Not the paths of the checkout, which lead to the sources.
    tsconfigRaw: {},
    platform: 'node',
    format: 'esm',
  });
  const [file] = outputFiles;
  const url = `data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString('base64')}`;
  const module = (await import(url)) as { LoginFailedError: new (message: string) => Error };
  return { ...module, bytes: file?.contents.byteLength };
}

describe('an error of the client', () => {
  it('keeps its name when a minifier renames its class, and narrows by its kind', async () => {
    const { LoginFailedError: Minified } = await minified(
      "export { LoginFailedError } from 'portico/client'",
    );
    expect(new Minified('no').name).toBe('LoginFailedError');
    expect(Minified.name).not.toBe('LoginFailedError');
    const errors: unknown[] = [new PlatformUnreachableError('no', 'DNS'), new Error('no'), undefined, 'no'];

    const reasons = errors.map((error) =>
      isPlatformError(error) && error.kind === 'unreachable' ? error.reason : undefined,
    );

    expect(reasons).toEqual(['DNS', undefined, undefined, undefined]);
    for (const [name, value] of Object.entries(client)) {
      if (!/^[A-Z].*Error$/.test(name) || name === 'PlatformError') continue;
      const { prototype } = value as unknown as { prototype: Error };
      expect(Object.getOwnPropertyDescriptor(prototype, 'name')?.get?.call({})).toBe(name);
    }
  });

  it('costs a bundle less than a kilobyte', async () => {
    const { bytes } = await minified("export { LoginFailedError } from 'portico/client'");

    expect(bytes).toBeLessThan(1024);
  });

  it('is known to another copy of the package', () => {
    const copy = Object.assign(new Error('expired'), { kind: 'session-expired' });
    Object.defineProperty(copy, Symbol.for('portico.PlatformError'), { value: true });

    expect([isPlatformError(copy), isSessionExpired(copy)]).toEqual([true, true]);
  });

  it('has the further fields of the payload, without secrets, and writes them nowhere', () => {
    const body = {
      code: 'ERR001',
      message: 'No',
      ticketId: 't',
      subErrors: [{ field: 'limit', given: `token s3cret-token` }],
      deep: { a: { b: { c: { d: 1 } } } },
      attempts: 3,
    };
    const response = PlatformResponse.from({ status: 400, body });

    const error = errorOfResponse(response, {
      iserverMessages: new Map() as never,
      secrets: ['s3cret-token'],
      isLogin: false,
      now: 0,
    });

    expect(error.details).toEqual({
      subErrors: [{ field: 'limit', given: 'token ***' }],
      deep: { a: { b: { c: undefined } } },
      attempts: 3,
    });
    expect(`${JSON.stringify(error)} ${inspect(error)}`).not.toContain('limit');
  });
});
