import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { loginAnswer } from '../../packages/portico/test/support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../support/app/start-app.js';

const PROJECT = { id: 7, name: 'Sales', status: 'active', owner: { id: 'O', name: 5 }, acg: 255 };
const USER = { id: 'U', fullName: ['A', 'User'] };
const INFO = { timeout: '600', locale: 1033 };

const ODD_NUMBERS = [2 ** 31, 2 ** 63, 1800.5];

describe('a platform whose fields have unexpected types', () => {
  let app: TestApp;
  beforeAll(async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': { status: 200, body: [PROJECT] },
      'GET sessions/userInfo': { status: 200, body: USER },
      'GET sessions': { status: 200, body: INFO },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  it('is answered as far as it fits, and complete as raw', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'user', password: 'password' });

    const { data, errors } = await app.graphql(
      `{
        projects { id name status owner { id name } raw }
        me { id fullName raw }
        sessionStatus { timeoutSeconds locale raw }
      }`,
      { handle },
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      projects: [{ id: '7', name: 'Sales', status: null, owner: { id: 'O', name: null }, raw: PROJECT }],
      me: { id: 'U', fullName: null, raw: USER },
      sessionStatus: { timeoutSeconds: 600, locale: 1033, raw: INFO },
    });
  });

  it.each(ODD_NUMBERS)('is answered null for %d where an Int is, and whole as raw', async (odd) => {
    const project = {
      ...PROJECT,
      status: odd,
      dateCreated: '2015-06-30 21:55:35',
      dateModified: '2015-02-30',
    };
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': { status: 200, body: [project] },
      'GET sessions': { status: 200, body: { timeout: odd, locale: odd } },
    });
    const odds = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    try {
      const handle = await bearerHandle(odds.graphql, { username: 'user', password: 'password' });

      const { data, errors } = await odds.graphql(
        '{ projects { status dateCreated dateModified raw } sessionStatus { timeoutSeconds locale raw } }',
        { handle },
      );

      expect(errors).toBeUndefined();
      expect(data).toEqual({
        projects: [
          { status: null, dateCreated: '2015-06-30T21:55:35.000Z', dateModified: null, raw: project },
        ],
        sessionStatus: { timeoutSeconds: null, locale: null, raw: { timeout: odd, locale: odd } },
      });
    } finally {
      await odds.close();
    }
  });
});
