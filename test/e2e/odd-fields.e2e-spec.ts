import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { loginAnswer } from '../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../support/app/start-app.js';

const PROJECT = { id: 7, name: 'Sales', status: 'active', owner: { id: 'O', name: 5 }, acg: 255 };
const USER = { id: 'U', fullName: ['A', 'User'] };
const INFO = { timeout: '600', locale: 1033 };

describe('a platform whose fields are of other types than are known', () => {
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

  it('is answered for what fits, and whole as raw', async () => {
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
      sessionStatus: { timeoutSeconds: null, locale: 1033, raw: INFO },
    });
  });
});
