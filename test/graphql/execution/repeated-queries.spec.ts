import { describe, expect, it } from 'vitest';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import {
  type KnownQuery,
  RepeatedQueries,
} from '../../../src/graphql/execution/repeated-query-route.service.js';

const schema = buildSchema('type Query { a: Int }');

function known(contentType = 'application/json'): KnownQuery {
  const document = parse('{ a }');
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, contentType };
}
const asked = (query: string, operationName?: string, accept?: string, isRouter = false) => ({
  query,
  operationName,
  accept,
  isRouter,
});

describe('queries that are asked for again', () => {
  it('are told apart by text, operation name, Accept and whether a router asks', () => {
    const queries = new RepeatedQueries();
    const [plain, named, other] = [known(), known(), known('application/graphql-response+json')];
    queries.remember(asked('{ a }'), plain);
    queries.remember(asked('{ a }', 'A'), named);
    queries.remember(asked('{ a }', undefined, 'x'), other);
    expect(queries.find(asked('{ a }'))).toMatchObject(plain);
    expect(queries.find(asked('{ a }', 'A'))?.document).toBe(named.document);
    expect(queries.find(asked('{ a }', undefined, 'x'))?.contentType).toBe(other.contentType);
    expect(queries.find(asked('{ a  }'))).toBeUndefined();
    expect(queries.find(asked('{ a }', 'B'))).toBeUndefined();
    expect(queries.find(asked('{ a }', undefined, undefined, true))).toBeUndefined();
  });

  it('are known as Apollo parsed them last', () => {
    const queries = new RepeatedQueries();
    for (let n = 0; n < 20; n += 1) queries.remember(asked('{ a }'), known());
    queries.remember(asked('{ a }', 'A'), known());
    const last = known();
    queries.remember(asked('{ a }'), last);
    expect(queries.find(asked('{ a }'))?.document).toBe(last.document);
    expect(queries.find(asked('{ a }', 'A'))).toBeDefined();
  });

  it('make room for newer ones: 200 texts, each in 8 variants of up to 8 KB', () => {
    const queries = new RepeatedQueries();
    for (let n = 0; n < 300; n += 1) queries.remember(asked(`{ a${n}: a }`), known());
    expect(queries.size).toBe(200);
    expect(queries.find(asked('{ a0: a }'))).toBeUndefined();
    expect(queries.find(asked('{ a299: a }'))).toBeDefined();
    for (let n = 0; n < 9; n += 1) queries.remember(asked('{ a299: a }', `N${n}`), known());
    expect(queries.find(asked('{ a299: a }', 'N0'))).toBeUndefined();
    expect(queries.find(asked('{ a299: a }', 'N8'))).toBeDefined();
    const long = '#'.repeat(9000);
    queries.remember(asked(long), known());
    expect(queries.find(asked(long))).toBeUndefined();
    queries.remember(asked('{ a }', undefined, long), known());
    expect(queries.find(asked('{ a }', undefined, long))).toBeUndefined();
    const longest = '#'.repeat(8 * 1024);
    queries.remember(asked(longest), known());
    expect(queries.find(asked(longest))).toBeDefined();
  });
});
