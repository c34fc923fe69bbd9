import { mkdir, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  PersistedDocuments,
  PersistedDocumentsError,
} from '../../../src/graphql/limits/persisted-documents.js';
import { failToStart, stopServices } from '../../support/app/run-service.js';
import { tempFolder } from '../../support/temp-folder.js';

describe('a folder of documents', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  const reading = async (text?: string): Promise<unknown> => {
    if (text !== undefined) await writeFile(`${folder.path}/a.graphql`, text);
    return PersistedDocuments.read(folder.path).catch((error: unknown) => error);
  };

  it('cannot be used when it is empty, and says so', async () => {
    expect(await reading()).toEqual(
      new PersistedDocumentsError('the folder has no .graphql file and no manifest'),
    );
  });

  it('cannot be used when one of its files is not a document: the error names the file and does not quote it', async () => {
    const error = await reading('{ CANARY');
    expect(error).toEqual(new PersistedDocumentsError('a.graphql is not a GraphQL document'));
    expect(String(error)).not.toContain('CANARY');
  });

  it.each([
    ['[]', "a.json is neither Apollo's nor Relay's manifest of documents"],
    ['{', "a.json is neither Apollo's nor Relay's manifest of documents"],
    ['{"id":7}', "a.json is neither Apollo's nor Relay's manifest of documents"],
    ['{"id":"{ CANARY"}', 'a.json (id) is not a GraphQL document'],
    [
      '{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}',
      "a.json is not version 1 of Apollo's manifest of documents",
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a"}]}',
      'a.json has an operation without id or body',
    ],
  ])('cannot be used with the manifest %s', async (text, reason) => {
    await writeFile(`${folder.path}/a.json`, text);
    expect(await reading()).toEqual(new PersistedDocumentsError(reason));
  });

  it('cannot be used when two documents have one id', async () => {
    await writeFile(`${folder.path}/a.json`, '{"id":"{ a }"}');
    await writeFile(`${folder.path}/b.json`, '{"id":"{ b }"}');
    expect(await reading()).toEqual(
      new PersistedDocumentsError('b.json (id) has the id of another document'),
    );
  });

  it('gives only ids that can be told from other text for finding logouts in a body', async () => {
    const hash = '0123456789abcdef0123456789abcdef';
    const text = 'mutation { logout { loggedOut } }';
    await writeFile(`${folder.path}/a.json`, JSON.stringify({ 1: text, [hash]: text }));
    const documents = await PersistedDocuments.read(folder.path);
    expect(documents.hashesOf(/logout/i)).toEqual(expect.arrayContaining([hash]));
    expect(documents.hashesOf(/logout/i)).not.toContain('1');
  });

  it('cannot be used when one of its documents does not match the schema: the service names it and exits with 1', async () => {
    await mkdir(`${folder.path}/data`);
    await writeFile(`${folder.path}/good.graphql`, '{ hasSession }');
    await writeFile(`${folder.path}/bad.graphql`, '{ CANARY }');
    const { code, stderr } = await failToStart(folder.path, { PERSISTED_DOCUMENTS: '.' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'PERSISTED_DOCUMENTS cannot be used: bad.graphql does not match the schema\n',
    });
  });

  it('cannot be used when it is not there: the service says so in one line and exits with 1', async () => {
    await mkdir(`${folder.path}/data`);
    const { code, stderr } = await failToStart(folder.path, { PERSISTED_DOCUMENTS: 'none' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'These settings cannot be used:\n  PERSISTED_DOCUMENTS must be the path of a readable folder\n',
    });
  });
});
