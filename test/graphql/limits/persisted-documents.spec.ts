import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { buildSchema } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  PersistedDocuments,
  PersistedDocumentsError,
  problemsInDocuments,
} from '../../../src/graphql/limits/persisted-documents.js';
import { PersistedDocumentsModule } from '../../../src/graphql/limits/persisted-documents.module.js';
import { failToStart, stopServices } from '../../support/app/run-service.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A module of an application. */
@Module({})
class User {}

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
    ['{"format":"other","version":1}', "a.json is neither Apollo's nor Relay's manifest of documents"],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":{}}',
      "a.json is not version 1 of Apollo's manifest of documents",
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a"}]}',
      'a.json has an operation without id or body',
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"body":"{ a }"}]}',
      'a.json has an operation without id or body',
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"","body":"{ a }"}]}',
      'a.json has an operation without id or body',
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[null]}',
      'a.json has an operation without id or body',
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","body":"{"}]}',
      'a.json (a) is not a GraphQL document',
    ],
    [
      '{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","name":"A","body":"{"}]}',
      'a.json (A) is not a GraphQL document',
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

  it('may be without a document where no folder is set or the folder is missing: others say so', async () => {
    expect(await problemsInDocuments({})).toEqual([]);
    expect(await problemsInDocuments({ PERSISTED_DOCUMENTS: `${folder.path}/none` })).toEqual([]);
    expect(await problemsInDocuments({ PERSISTED_DOCUMENTS: folder.path })).toEqual([
      'PERSISTED_DOCUMENTS cannot be used: the folder has no .graphql file and no manifest',
    ]);
    expect(await reading('{ a }')).toBeInstanceOf(PersistedDocuments);
    expect(await problemsInDocuments({ PERSISTED_DOCUMENTS: folder.path })).toEqual([]);
  });

  it('cannot be used when it cannot be read', async () => {
    await expect(PersistedDocuments.read(`${folder.path}/none`)).rejects.toEqual(
      new PersistedDocumentsError('the folder cannot be read'),
    );
  });

  it('may give one id to one document twice', async () => {
    await writeFile(`${folder.path}/a.json`, '{"id":"{ a }"}');
    await writeFile(`${folder.path}/b.json`, '{"id":"{ a }"}');
    expect(await reading()).toBeInstanceOf(PersistedDocuments);
  });

  it.each(['', '\n', '\r\n'])('gives a document by its hash with and without its final %j', async (end) => {
    const documents = (await reading(`{\n  a\n}${end}`)) as PersistedDocuments;
    const cache = documents.asCache();
    for (const text of ['{\n  a\n}', `{\n  a\n}${end}`]) {
      const hash = createHash('sha256').update(text).digest('hex');
      expect(documents.has(hash)).toBe(true);
      expect(await cache.get(hash)).toBe(text);
      expect(await cache.get(`apq:${hash}`)).toBe(text);
    }
    expect(documents.has('other')).toBe(false);
    expect(await cache.get('apq:other')).toBeUndefined();
  });

  it('gives a document by the id of its manifest, whatever that looks like', async () => {
    await writeFile(`${folder.path}/a.json`, '{"of-apq:one":"{ a }"}');
    const documents = (await reading()) as PersistedDocuments;
    expect(await documents.asCache().get('of-apq:one')).toBe('{ a }');
  });

  it('is at hand everywhere in an application', async () => {
    const documents = (await reading('{ a }')) as PersistedDocuments;
    const inject = [PersistedDocuments];
    const useFactory = (given: PersistedDocuments): PersistedDocuments => given;
    const user = { module: User, providers: [{ provide: 'given', inject, useFactory }] };
    const app = await Test.createTestingModule({
      imports: [PersistedDocumentsModule.with(documents), user],
    }).compile();
    expect(app.get('given', { strict: false })).toBe(documents);
    await app.close();
  });

  it('takes no document from what is sent', async () => {
    const cache = ((await reading('{ a }')) as PersistedDocuments).asCache();
    await expect(cache.set()).resolves.toBeUndefined();
    expect(await cache.delete()).toBe(false);
  });

  it('is read without its subfolders and its other files', async () => {
    await mkdir(`${folder.path}/more`);
    await writeFile(`${folder.path}/more/b.graphql`, '{');
    await writeFile(`${folder.path}/a.graphql.txt`, '{');
    await writeFile(`${folder.path}/b.jsonl`, '{');
    expect(await reading('{ a }')).toBeInstanceOf(PersistedDocuments);
  });

  it('has to match the schema: each document that does not is named', async () => {
    await writeFile(`${folder.path}/b.json`, '{"one":"{ a }","two":"{ c }"}');
    const documents = (await reading('{ b }')) as PersistedDocuments;
    const check = (fields: string) => () => {
      documents.checkAgainst(buildSchema(`type Query { ${fields} }`));
    };
    expect(check('a: ID b: ID c: ID')).not.toThrow();
    expect(check('a: ID')).toThrow(
      new PersistedDocumentsError('a.graphql, b.json (two) does not match the schema'),
    );
  });

  it.each([
    ['a query', '{ a }', true],
    ['a query with a fragment', '{ ...F } fragment F on Query { a }', true],
    ['a query with variables', 'query ($x: Int) { a(x: $x) }', false],
    ['two queries', 'query A { a } query B { b }', false],
    ['a mutation', 'mutation { a }', false],
    ['only a fragment', 'fragment F on Query { a }', false],
  ])('has an example that can be sent as it is only if there is one: %s', async (_which, text, isExample) => {
    const documents = (await reading(text)) as PersistedDocuments;
    expect(documents.example).toBe(isExample ? text : undefined);
  });

  it('gives only ids that can be told from other text for finding logouts in a body', async () => {
    const hash = '0123456789abcdef0123456789abcdef';
    const text = 'mutation { logout { loggedOut } }';
    await writeFile(`${folder.path}/a.json`, JSON.stringify({ 1: text, [hash]: text }));
    await writeFile(`${folder.path}/b.graphql`, '{ hasSession }');
    const documents = await PersistedDocuments.read(folder.path);
    expect(documents.hashesOf(/logout/i)).toEqual(expect.arrayContaining([hash]));
    expect(documents.hashesOf(/logout/i)).not.toContain('1');
    expect(documents.hashesOf(/login/i)).toEqual([]);
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
