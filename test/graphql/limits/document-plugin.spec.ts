import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { ApolloServer } from '@apollo/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/config/parse-settings.js';
import { ErrorFormat } from '../../../src/errors/to-graphql-error.js';
import { DocumentPlugin, refusalRule } from '../../../src/graphql/limits/document.plugin.js';
import { PersistedDocuments } from '../../../src/graphql/limits/persisted-documents.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Caller {
  readonly isRouter: boolean;
}

interface Answer {
  readonly status: number | undefined;
  readonly data: unknown;
  readonly errors: readonly unknown[] | undefined;
}

let server: ApolloServer<Caller>;
let resolved: number;
beforeEach(() => {
  resolved = 0;
});
afterEach(() => server.stop());

function apollo(
  environment: Record<string, string> = {},
  persisted?: PersistedDocuments,
): ApolloServer<Caller> {
  return (server = new ApolloServer<Caller>({
    typeDefs: 'type User { id: ID name: String } type Query { me: User ok: Boolean }',
    resolvers: {
      Query: {
        ok: () => {
          resolved += 1;
          return true;
        },
      },
    },
    plugins: [new DocumentPlugin(parseSettings(environment), persisted)],
    validationRules: [refusalRule],
    formatError: new ErrorFormat(true, () => 'request').format,
    introspection: true,
  }));
}

async function ask(query: string, isRouter = false): Promise<Answer> {
  const { body, http } = await server.executeOperation({ query }, { contextValue: { isRouter } });
  if (body.kind !== 'single') throw new Error('The answer comes in parts');
  const { data, errors } = body.singleResult;
  return { status: http.status, data, errors };
}

const refused = (message: string, facts: object = {}): object => ({
  status: 400,
  data: undefined,
  errors: [{ message, extensions: expect.objectContaining(facts) }],
});

describe('a document', () => {
  it.each([
    ['GRAPHQL_MAX_DEPTH', '{ me { id } }', 'is more than 1 levels deep'],
    ['GRAPHQL_MAX_ALIASES', '{ a: ok b: ok }', 'selects one field more than 1 times'],
    ['GRAPHQL_MAX_DIRECTIVES', '{ ok @skip(if: false) @include(if: true) }', 'has more than 1 directives'],
    ['GRAPHQL_MAX_ROOT_FIELDS', '{ ok me { id } }', 'has more than 1 root fields'],
    ['GRAPHQL_MAX_COST', '{ me { id } }', 'costs more than 1'],
  ])('over the limit of %s is refused: %s', async (setting, query, message) => {
    apollo({ [setting]: '1' });

    expect(await ask(query)).toEqual(
      refused(`The document ${message}`, { code: 'GRAPHQL_VALIDATION_FAILED', reason: 'LIMIT_EXCEEDED' }),
    );

    expect(resolved).toBe(0);
    expect(await ask('{ ok }')).toMatchObject({ data: { ok: true }, errors: undefined });
  });

  it.each([
    ['subscription { ok }', 'Subscriptions are not supported'],
    ['query A { ok } subscription B { ok }', 'Subscriptions are not supported'],
    ['{ ... @defer { ok } }', '@defer and @stream are not supported: the answer comes as a whole'],
    ['{ me { id @stream name } }', '@defer and @stream are not supported: the answer comes as a whole'],
  ])('that asks for what there is not is told so once: %s', async (query, message) => {
    apollo();
    expect(await ask(query)).toEqual(refused(message));
  });

  it('within the limits is held to the rules of GraphQL', async () => {
    apollo();
    expect(await ask('{ unknown }')).toMatchObject({
      status: 400,
      errors: [{ message: 'Type "Query" has no such field' }],
    });
    expect(await ask('{ ok ok @include(if: true) }')).toMatchObject({ data: { ok: true } });
  });
});

describe('where documents have to be on a list', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  /** A server that allows one document. */
  async function allowing(text: string): Promise<ApolloServer<Caller>> {
    await writeFile(`${folder.path}/a.graphql`, text);
    return apollo({}, await PersistedDocuments.read(folder.path));
  }

  const notAllowed = 'The document is not on the list of allowed documents';

  it('one that is on it is run, and another refused', async () => {
    await allowing('{ ok }');
    expect(await ask('{ ok }')).toMatchObject({ data: { ok: true } });
    const facts = { code: 'PERSISTED_QUERY_NOT_FOUND' };
    expect(await ask('{ ok } ')).toEqual(refused(notAllowed, facts));
    expect(await ask('{ unknown }')).toEqual(refused(notAllowed, facts));
    expect(resolved).toBe(1);
  });

  it('a router may send any, which is not thereby allowed to others', async () => {
    await allowing('{ ok }');
    expect(await ask('{ again: ok }', true)).toMatchObject({ data: { again: true } });
    expect(await ask('{ again: ok }')).toEqual(refused(notAllowed));
    expect(await ask('{ again: ok }', true)).toMatchObject({ data: { again: true } });
    expect(resolved).toBe(2);
  });

  it('one that does not match the schema keeps the service from starting', async () => {
    const unfit = await allowing('{ unknown }');
    await expect(unfit.start()).rejects.toThrow('a.graphql does not match the schema');
    // Only what has started can be stopped.
    await apollo().start();
  });
});
