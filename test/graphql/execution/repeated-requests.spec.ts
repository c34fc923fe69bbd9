import { describe, expect, it } from 'vitest';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import {
  type KnownRequest,
  RepeatedRequests,
} from '../../../src/graphql/execution/repeated-request-route.service.js';

const schema = buildSchema('type Query { a: Int }');

function known(contentType = 'application/json'): KnownRequest {
  const document = parse('{ a }');
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, contentType };
}
const asked = (query: string, operationName?: string, accept?: string, isRouter = false) => ({
  query,
  operationName,
  accept,
  isRouter,
});

describe('requests that come again', () => {
  it('are told apart by text, operation name, Accept and whether a router asks', () => {
    const requests = new RepeatedRequests();
    const [plain, named, other] = [known(), known(), known('application/graphql-response+json')];
    requests.remember(asked('{ a }'), plain);
    requests.remember(asked('{ a }', 'A'), named);
    requests.remember(asked('{ a }', undefined, 'x'), other);
    expect(requests.find(asked('{ a }'))).toMatchObject(plain);
    expect(requests.find(asked('{ a }', 'A'))?.document).toBe(named.document);
    expect(requests.find(asked('{ a }', undefined, 'x'))?.contentType).toBe(other.contentType);
    expect(requests.find(asked('{ a  }'))).toBeUndefined();
    expect(requests.find(asked('{ a }', 'B'))).toBeUndefined();
    expect(requests.find(asked('{ a }', undefined, undefined, true))).toBeUndefined();
  });

  it('are known as Apollo parsed them last', () => {
    const requests = new RepeatedRequests();
    for (let n = 0; n < 20; n += 1) requests.remember(asked('{ a }'), known());
    requests.remember(asked('{ a }', 'A'), known());
    const last = known();
    requests.remember(asked('{ a }'), last);
    expect(requests.find(asked('{ a }'))?.document).toBe(last.document);
    expect(requests.find(asked('{ a }', 'A'))).toBeDefined();
  });

  it('stay while they are asked', () => {
    const requests = new RepeatedRequests();
    for (let n = 0; n < 1000; n += 1) {
      requests.remember(asked(`{ a${n}: a }`), known());
      expect(requests.find(asked('{ a0: a }'))).toBeDefined();
    }
    expect(requests.size).toBe(200);
  });

  it('make room for newer ones: 200 texts, each in 8 variants of up to 8 KB', () => {
    const requests = new RepeatedRequests();
    for (let n = 0; n < 300; n += 1) requests.remember(asked(`{ a${n}: a }`), known());
    expect(requests.size).toBe(200);
    expect(requests.find(asked('{ a0: a }'))).toBeUndefined();
    expect(requests.find(asked('{ a299: a }'))).toBeDefined();
    for (let n = 0; n < 9; n += 1) requests.remember(asked('{ a299: a }', `N${n}`), known());
    expect(requests.find(asked('{ a299: a }', 'N0'))).toBeUndefined();
    expect(requests.find(asked('{ a299: a }', 'N8'))).toBeDefined();
    const long = '#'.repeat(9000);
    requests.remember(asked(long), known());
    expect(requests.find(asked(long))).toBeUndefined();
    requests.remember(asked('{ a }', undefined, long), known());
    expect(requests.find(asked('{ a }', undefined, long))).toBeUndefined();
    const longest = '#'.repeat(8 * 1024);
    requests.remember(asked(longest), known());
    expect(requests.find(asked(longest))).toBeDefined();
  });
});
