import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstallation, examine } from '../../src/app/doctor.js';
import { type Finding } from '../../src/app/finding.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { type TestApp, startApp } from '../support/app/start-app.js';
import { tempFolder } from '../support/temp-folder.js';

describe('portico check', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let app: TestApp | undefined;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await folder.remove();
  });

  const check = async (environment: Record<string, string>): Promise<Finding[]> => {
    const given = { SESSION_STORE_PATH: `${folder.path}/sessions.db`, PORT: '0', ...environment };
    const findings = await examine(await readInstallation(given), undefined);
    return findings.filter(({ what }) => what !== 'settings' && what !== 'platform');
  };

  it('skips what is in use by a healthy instance, and says why', async () => {
    const SESSION_STORE_PATH = `${folder.path}/sessions.db`;
    app = await startApp({ SESSION_STORE_PATH });
    const { port } = new URL(app.url);
    const { url } = app;
    // On a busy machine the instance may need longer than it is given to say that it is ready.
    await eventually(async () => {
      expect(await check({ PORT: port })).toEqual([
        {
          what: 'session store',
          state: 'skipped',
          found: `its file is in use by the instance that is ready at ${url}`,
        },
        {
          what: 'service',
          state: 'skipped',
          found: `an instance is ready at ${url}: its addresses are in use and were not tried`,
        },
      ]);
    });
    // It runs somewhere else: to start another one with its file would be wrong.
    expect(await check({})).toMatchObject([
      {
        what: 'session store',
        state: 'wrong',
        found: expect.stringContaining('another process has its file open'),
      },
    ]);
  });

  it('finds a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const findings = await check({ PORT: String(port), METRICS_PORT: '0' });
    other.close();
    expect(findings).toContainEqual({
      what: 'service',
      state: 'wrong',
      found: expect.stringMatching(new RegExp(`^Port ${port} of 127.0.0.1 is in use`)),
    });
  });

  it('finds an address that this machine does not have', async () => {
    expect(await check({ HOST: '192.0.2.1' })).toContainEqual({
      what: 'service',
      state: 'wrong',
      found: '192.0.2.1 is not an address of this machine: check HOST and METRICS_HOST',
    });
  });

  it('finds a persisted document that does not match the schema', async () => {
    await mkdir(`${folder.path}/documents`);
    await writeFile(`${folder.path}/documents/page.graphql`, '{ me { nickname } }');
    expect(await check({ PERSISTED_DOCUMENTS: `${folder.path}/documents` })).toContainEqual({
      what: 'service',
      state: 'wrong',
      found: expect.stringContaining('page.graphql does not match the schema'),
    });
  });
});
