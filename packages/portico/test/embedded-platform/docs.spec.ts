import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import * as errors from '../../src/embedded-platform/errors.js';
import { DEMO_LOGINS } from '../../src/embedded-platform/index.js';
import { ROUTES } from '../../src/embedded-platform/operations.js';
import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { statusOf, Wire } from './wire.js';

const PAGE = join(import.meta.dirname, '../../../../docs/embedded-platform.md');

describe('the page about the embedded platform', () => {
  let page: string;
  let platform: StartedPlatform;
  beforeAll(async () => {
    page = await readFile(PAGE, 'utf8');
    platform = await startPlatform();
  });
  afterAll(() => platform.close());

  /** The cells of every table row below a heading, without the header row. */
  const rowsBelow = (heading: string): string[][] => {
    const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    return rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
  };

  it('lists every operation, and no other', () => {
    const listed = rowsBelow('Calls').map(([, call = '']) => call.replaceAll('`', ''));

    expect(listed).toEqual([...ROUTES.keys()]);
  });

  it('lists what the platform serves: other methods at the same paths are not found', async () => {
    const wire = new Wire(platform.baseUrl);
    const { headers } = await wire.loginAs('demo');
    const paths = new Set([...ROUTES.keys()].map((operation) => operation.split(' ')[1] ?? ''));
    const served: string[] = [];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const operation = `${method} ${path}`;
        // The session would be gone for the calls after this one.
        const status =
          operation === 'POST auth/logout' ? 204 : await statusOf(wire.call(operation, { headers }));
        if (status !== 404) served.push(operation);
      }
    }

    expect(served.toSorted()).toEqual([...ROUTES.keys()].toSorted());
  });

  it('lists every login, and no other', () => {
    const listed = rowsBelow('Logins').map(([, user = '']) => user.replaceAll('`', ''));

    expect(listed).toEqual(DEMO_LOGINS.users.map(({ username }) => username));
  });

  it('lists every refusal, and no other', () => {
    const { Refusal, ...factories } = errors;
    const refusals = Object.values(factories).map((refuse) => refuse('for the page'));
    const listed = rowsBelow('Refusals').map(([, ...cells]) => cells.slice(0, 3).join(' ').trim());

    expect(refusals.every((refusal) => refusal instanceof Refusal)).toBe(true);
    expect(new Set(listed)).toEqual(
      new Set(
        refusals.map(({ status, code, iServerCode = '' }) => `${status} ${code} ${iServerCode}`.trim()),
      ),
    );
    expect(listed).toHaveLength(new Set(listed).size);
  });
});
