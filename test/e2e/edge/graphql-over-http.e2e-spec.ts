import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditServer, type AuditResult } from 'graphql-http';
import { startApp, type TestApp } from '../../support/app/start-app.js';

describe('the endpoint, by the audit suite of GraphQL over HTTP', () => {
  let app: TestApp;
  let results: AuditResult[];
  beforeAll(async () => {
    app = await startApp();
    results = await auditServer({ url: `${app.url}/graphql` });
  });
  afterAll(() => app.close());

  it('passes all of its 61 audits', () => {
    const failed = results
      .filter(({ status }) => status !== 'ok')
      .map((result) => `${result.name}: ${'reason' in result ? result.reason : ''}`);
    expect(failed).toEqual([]);
    expect(results).toHaveLength(61);
  });
});
