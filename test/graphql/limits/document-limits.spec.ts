import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { brokenLimit, type DocumentLimits } from '../../../src/graphql/limits/document-limits.js';
import { MANY_LOGINS } from '../../support/graphql/hostile-documents.js';

const schema = buildSchema(`
  directive @d repeatable on QUERY | FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT | FRAGMENT_DEFINITION
  scalar JSONObject
  interface Named { name: String raw: JSONObject }
  type User { id: ID! name: String fullName: String raw: JSONObject! again: Query friends: [User] }
  type Project { id: ID! owner: User owners: [User!]! raw: JSONObject }
  type Query { me: User again: Query named: Named projects: [Project!]! users: [User] hasSession: Boolean projectId(name: String): ID }
  type Login { handle: String expiresAt: String loggedOut: Boolean }
  type Mutation { login: Login logout: Login delegate: Login extend: Login }
`);
const WIDE: DocumentLimits = {
  depth: 1_000,
  aliases: 1_000,
  directives: 1_000,
  rootFields: 1_000,
  cost: 1_000_000,
};

const broken = (source: string, limits: Partial<DocumentLimits> = {}): string | undefined =>
  brokenLimit(parse(source), schema, { ...WIDE, ...limits });

/** A document is allowed with this limit, and not with one less. */
function expectLeast(limit: keyof DocumentLimits, source: string, least: number, message: string): void {
  expect(broken(source, { [limit]: least })).toBeUndefined();
  expect(broken(source, { [limit]: least - 1 })).toBe(message);
}

/** As many times, with names that differ. */
const times = (count: number, field: string): string =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

describe('the depth of a document', () => {
  it.each([
    [1, '{ hasSession }'],
    [2, '{ me { id } }'],
    [2, '{ me { __typename } }'],
    [3, '{ hasSession projects { owner { id } } me { id } }'],
    [4, '{ me { unknown { unknown { id } } } }'],
    [2, '{ ...F } fragment F on Query { me { id } }'],
    [2, '{ ... on Query { me { ... { id } } } }'],
    [3, '{ me { ...F } } fragment F on User { again { hasSession } }'],
    [3, 'query A { hasSession } query B { me { again { hasSession } } }'],
    [2, '{ hasSession } fragment F on Project { owner { id } }'],
    [1, '{ __schema { types { fields { name } } } }'],
    [1, '{ __type(name: "A") { name } }'],
    [1, '{ __schema { types { ...F } } } fragment F on __Type { fields { name } }'],
    [2, '{ again { __schema { types { name } } } }'],
    [4, '{ me { __schema { types { name } } } }'],
  ])('is %i: %s', (levels, source) => {
    expectLeast('depth', source, levels, `The document is more than ${levels - 1} levels deep`);
  });

  it('has no end where a fragment uses itself', () => {
    const message = 'The document is more than 1000 levels deep';
    expect(broken('{ ...F } fragment F on Query { hasSession ...F }')).toBe(message);
    expect(broken('{ ...F } fragment F on Query { me { ...G } } fragment G on User { again { ...F } }')).toBe(
      message,
    );
  });

  it('is none for a fragment that is missing', () => {
    expect(broken('{ ...F }', { depth: 0, cost: 0 })).toBeUndefined();
  });
});

describe('the depth to which a document reads the schema', () => {
  const chain = (levels: number): string => `${'f { '.repeat(levels - 1)}name${' }'.repeat(levels - 1)}`;

  it.each([
    ['in an operation', (levels: number) => `{ __schema { ${chain(levels - 1)} } }`],
    ['below another field', (levels: number) => `{ again { __schema { ${chain(levels - 1)} } } }`],
    [
      'in a fragment',
      (levels: number) => `{ ...F } fragment F on Query { __type(name: "A") { ${chain(levels - 1)} } }`,
    ],
    [
      'in a fragment on a part of the schema that nothing uses',
      (levels: number) => `{ hasSession } fragment F on __Type { ${chain(levels)} }`,
    ],
  ])('is at most 16 %s', (_where, source) => {
    expect(broken(source(16), { depth: 2 })).toBeUndefined();
    expect(broken(source(17), { depth: 2 })).toBe('The document reads the schema more than 16 levels deep');
  });
});

describe('a part of the schema', () => {
  const message = 'The document reads one part of the schema more than 4 times';

  it.each([
    ['the schema', (reads: number) => `{ ${times(reads, '__schema { description }')} }`],
    ['a part of it', (reads: number) => `{ __schema { ${times(reads, 'types { name }')} } }`],
    ['a part of a type', (reads: number) => `{ __type(name: "A") { ${times(reads, 'name')} } }`],
    [
      'a part in a fragment',
      (reads: number) => `{ __type(name: "A") { ...F } } fragment F on __Type { ${times(reads, 'name')} }`,
    ],
    [
      'a part in a fragment that nothing uses',
      (reads: number) => `{ hasSession } fragment F on __Type { ${times(reads, 'name')} }`,
    ],
  ])('may be read four times and no more: %s', (_what, source) => {
    expect(broken(source(4))).toBeUndefined();
    expect(broken(source(5))).toBe(message);
  });

  it('is read more often by aliases inside of aliases, which multiply', () => {
    const schemas = (first: number, second: number): string =>
      `{ a: __schema { ${times(first, 'types { name }')} } b: __schema { ${times(second, 'types { name }')} } }`;
    expect(broken(schemas(2, 2))).toBeUndefined();
    expect(broken(schemas(2, 3))).toBe(message);
  });

  it('is another one for each type that is asked for', () => {
    expect(broken(`{ ${times(5, '__type(name: "A") { name }')} }`)).toBeUndefined();
    expect(broken(`{ ${'a: __type(name: "A") { name } '.repeat(5)} }`)).toBe(message);
    expect(broken(`{ ${'__type(name: "A") { name } '.repeat(5)} }`)).toBe(message);
  });

  it('is no field of the data, whatever its name', () => {
    expect(broken(`{ me { ${times(5, 'name')} } }`)).toBeUndefined();
  });
});

describe('one field', () => {
  it.each([
    [1, '{ hasSession me { id name } again { me { id } } }'],
    [3, '{ hasSession a: hasSession b: hasSession me { id } }'],
    [2, '{ me { a: id b: id } }'],
    [2, '{ again { again { a: hasSession b: hasSession } me { id } } }'],
    [2, '{ me { id ...F } } fragment F on User { id }'],
    [3, '{ me { ... { id } ... on User { id } id } }'],
    [2, '{ hasSession } fragment F on User { a: id b: id }'],
    [2, '{ a: __typename b: __typename }'],
  ])('is selected %i times in one place: %s', (count, source) => {
    expectLeast('aliases', source, count, `The document selects one field more than ${count - 1} times`);
  });
});

describe('the directives of a document', () => {
  it.each([
    [1, 'query @d { hasSession }'],
    [2, '{ hasSession @d @d }'],
    [1, '{ me { id @d } }'],
    [1, '{ ... @d { hasSession } }'],
    [1, '{ ...F @d } fragment F on Query { hasSession }'],
    [2, '{ ...F ...F } fragment F on Query @d { hasSession }'],
    [1, '{ hasSession } fragment F on Query { me { id @d } }'],
    [6, 'query @d { me @d { id @d } ... @d { ...F @d } } fragment F on Query { hasSession @d }'],
  ])('are %i: %s', (count, source) => {
    expectLeast('directives', source, count, `The document has more than ${count - 1} directives`);
  });
});

describe('the root fields of a document', () => {
  it.each([
    [2, '{ hasSession me { id name } }'],
    [3, '{ a: hasSession b: hasSession me { id } }'],
    [3, '{ ...F ...F ... { hasSession } } fragment F on Query { me { id } }'],
    [2, 'query A { hasSession } query B { hasSession me { id } } query C { hasSession }'],
    [1, '{ hasSession } fragment F on Query { hasSession me { id } }'],
  ])('are %i, in each operation: %s', (count, source) => {
    expectLeast('rootFields', source, count, `The document has more than ${count - 1} root fields`);
  });
});

describe('the cost of a document', () => {
  it.each([
    ['a field', 1, '{ hasSession }'],
    ['a field and what it has', 3, '{ me { id name } }'],
    ['a list, as ten items', 11, '{ projects { id } }'],
    ['a list that may be missing', 11, '{ users { id } }'],
    ['lists in lists', 111, '{ projects { owners { id } } }'],
    ['JSON, as ten fields', 11, '{ me { raw } }'],
    ['JSON of an interface', 11, '{ named { raw } }'],
    ['JSON in a list', 101, '{ projects { raw } }'],
    ['the schema, whose lists are short', 3, '{ __schema { types { name } } }'],
    ['fields that do not exist', 3, '{ unknown { unknown { id } } }'],
    ['a fragment, each time', 4, '{ ...F ...F } fragment F on Query { me { id } }'],
    ['a fragment for a type', 12, '{ me { ... on User { id raw } } }'],
    ['a fragment for one of several types', 12, '{ named { ... on User { friends { id } } } }'],
    ['a fragment for no type', 12, '{ me { ... { id raw } } }'],
    ['a fragment that nothing uses', 11, '{ hasSession } fragment F on Project { owners { id } }'],
    ['one operation of several', 11, '{ projects { id } } query B { hasSession }'],
  ])('counts %s: %i', (_what, cost, source) => {
    expectLeast('cost', source, cost, `The document costs more than ${cost - 1}`);
  });
});

describe('a document', () => {
  it.each([
    'mutation { login { handle } }',
    'mutation { login { handle expiresAt } __typename a: __typename }',
    'mutation A { login { handle } } query B { hasSession me { id } } query C { hasSession }',
    '{ hasSession } fragment F on Mutation { login { handle } logout { loggedOut } }',
  ])('may have one change of sessions: %s', (source) => {
    expect(broken(source)).toBeUndefined();
  });

  it.each(MANY_LOGINS)('may not have more than one change of sessions, by $what', ({ query }) => {
    expect(broken(query)).toBe('The document has more than one login, delegate, extend or logout');
  });
});
