import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFile, readdir } from 'node:fs/promises';
import { createCanaries } from '../../packages/portico/test/support/secrets/canaries.js';
import { type Answer } from '../support/graphql/graphql-caller.js';
import { runService, type RunningService, stopServices } from '../support/app/run-service.js';
import {
  startRecordingPlatform,
  type RecordingPlatform,
} from '../support/embedded-platform/recording-platform.js';
import { tempFolder } from '../support/temp-folder.js';

describe('no secret', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: RecordingPlatform;
  let service: RunningService;
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startRecordingPlatform();
    service = await runService(folder.path, {
      PLATFORM_BASE_URL: platform.baseUrl,
      LOG_LEVEL: 'trace',
      IDENTITY_TOKENS: 'true',
    });
  });
  afterEach(async () => {
    await stopServices();
    await platform.close();
    await folder.remove();
  });

  it('reaches a log line, an answer or the store, whatever a caller and the platform do', async () => {
    const canaries = createCanaries();
    const answers: Answer[] = [];
    const call: RunningService['graphql'] = async (query, options) => {
      const answer = await service.graphql(query, options);
      answers.push(answer);
      return answer;
    };
    const password = canaries.plant('PW');
    const apiKey = canaries.plant('KEY');
    const identityToken = canaries.plant('IDT');
    const login = 'mutation ($input: LoginInput!) { login(input: $input) { expiresAt } }';

    await call(login, { variables: { input: { username: 'demo', password } } });
    await call(login, { variables: { input: { apiKey } } });
    await call(login, { variables: { input: { username: 'demo', password, pasword: password } } });
    await call(login, { variables: { input: { username: 'demo', password: { x: password } } } });
    await call(
      `mutation { login(input: {username: "demo", password: ${password.replaceAll('-', '_')}}) { handle } }`,
    );
    await call(`mutation { login(input: {username: "demo", password: "${password}" `);
    await call(`{ ${apiKey.replaceAll('-', '_')} }`);
    await call('mutation ($t: String!) { delegate(input: {identityToken: $t}) { handle } }', {
      variables: { t: identityToken },
    });
    await call(login, {
      variables: { input: { username: 'demo', password } },
      headers: { origin: `https://${password.toLowerCase()}.example`, cookie: `__Host-portico=${apiKey}` },
    });
    await call(
      `mutation { ${`login(input: {username: "demo", password: "${password}"}) { handle } `.repeat(2)} }`,
    );
    await call(`{ ${`projectId(name: "${password}") `.repeat(30)} }`);
    for (let n = 0; n < 12; n += 1) {
      await call(login, { variables: { input: { username: 'many-projects', password } } });
    }
    for (const username of ['demo', 'no-privileges', 'session-limit', 'backend-down', 'flaky']) {
      const begun = await service.graphql(
        `mutation { login(input: {username: "${username}", password: "demo", transport: BEARER}) { handle } }`,
      );
      const handle = String(begun.data.login.handle);
      canaries.watch('HDL', handle);
      await call(
        '{ hasSession me { id raw } sessionStatus { id raw } projects { id raw } projectId(name: "x") }',
        { handle },
      );
      await call('mutation { extend { expiresAt sessionStatus { id } } }', { handle });
      const minted = await service.graphql('mutation { identityToken { token } }', { handle });
      const token: unknown = minted.data?.identityToken?.token;
      if (username === 'demo') expect(token).toMatch(/^\S{16,}$/);
      if (typeof token === 'string') canaries.watch('IDM', token);
      if (username !== 'demo') await call('mutation { logout { loggedOut } }', { handle });
    }
    const bare = await fetch(`${service.url}/graphql?query=${password}`, {
      headers: { cookie: `__Host-portico=${apiKey}` },
    });
    const malformed = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query": ${password}`,
    });
    const asForm = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      body: new URLSearchParams({ query: `{ ${password} }` }),
    });
    const elsewhere = await fetch(`${service.url}/${password}?key=${apiKey}`, {
      headers: { 'x-request-id': `${password}!`, authorization: `Bearer ${apiKey}` },
    });
    for (const secret of platform.issuedSecrets()) canaries.watch('TOK', secret);
    expect(platform.issuedSecrets().length).toBeGreaterThan(5);

    await service.stop();
    const files = await readdir(`${folder.path}/data`);
    const stored = await Promise.all(files.map((file) => readFile(`${folder.path}/data/${file}`, 'latin1')));
    expect(canaries.findIn(service.output())).toEqual([]);
    expect(
      canaries.findIn(answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n')),
    ).toEqual([]);
    for (const response of [bare, malformed, asForm, elsewhere]) {
      expect(canaries.findIn((await response.text()) + JSON.stringify([...response.headers]))).toEqual([]);
    }
    expect(canaries.findIn(stored.join('\n'))).toEqual([]);
  });
});
