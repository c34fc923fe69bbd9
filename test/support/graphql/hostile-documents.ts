/** A document that asks for more than any client needs. */
export interface HostileDocument {
  readonly what: string;
  readonly query: string;
}

const LOGIN = 'login(input: {username: "demo", password: "guess", transport: BEARER}) { handle }';
const SECOND = 'login(input: {username: "demo", password: "other", transport: BEARER}) { handle }';

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Ways to guess more than one password in one request. */
export const MANY_LOGINS: readonly HostileDocument[] = [
  { what: '200 aliases', query: `mutation { ${times(200, (n) => `a${n}: ${LOGIN}`)} }` },
  { what: 'two aliases', query: `mutation { a: ${LOGIN} b: ${SECOND} }` },
  { what: 'twice the same field', query: `mutation { ${LOGIN} ${LOGIN} }` },
  {
    what: 'a fragment that is spread twice',
    query: `mutation { ...F ...F } fragment F on Mutation { ${LOGIN} }`,
  },
  {
    what: 'two fragments',
    query: `mutation { ...F ...G } fragment F on Mutation { a: ${LOGIN} } fragment G on Mutation { b: ${SECOND} }`,
  },
  {
    what: 'a fragment inside of a fragment',
    query: `mutation { ...F } fragment F on Mutation { a: ${LOGIN} ...G } fragment G on Mutation { b: ${SECOND} }`,
  },
  {
    what: 'inline fragments',
    query: `mutation { ... on Mutation { a: ${LOGIN} } ... { b: ${SECOND} } }`,
  },
  {
    what: '@include and @skip',
    query: `mutation ($y: Boolean!) {
      a: login(input: {username: "demo", password: "guess"}) @include(if: $y) { handle }
      b: login(input: {username: "demo", password: "other"}) @skip(if: $y) { handle }
    }`,
  },
  { what: 'two operations', query: `mutation A { ${LOGIN} } mutation B { ${SECOND} }` },
  { what: 'a login and a logout', query: `mutation { ${LOGIN} logout { loggedOut } }` },
  {
    what: 'a delegation and an extension',
    query: 'mutation { delegate(input: {identityToken: "t"}) { handle } extend { expiresAt } }',
  },
];

/** Fragments that each spread the next one twice: their size doubles with each. */
function doublingFragments(count: number): string {
  const links = times(count, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
  return `{ ...F0 } ${links} fragment F${count} on Query { hasSession }`;
}

/** The same through fields: each level has the level below twice, by two names. */
function doublingFields(count: number): string {
  const links = times(
    count,
    (n) => `fragment F${n} on __Type { a: ofType { ...F${n + 1} } b: ofType { ...F${n + 1} } }`,
  );
  return `{ __type(name: "Query") { ...F0 } } ${links} fragment F${count} on __Type { name }`;
}

/** Documents that are small to send and large to work on. */
export const BOMBS: readonly HostileDocument[] = [
  {
    what: 'the schema 15 times',
    query: `{ ${times(15, (n) => `a${n}: __schema { types { name } }`)} }`,
  },
  {
    what: 'the schema by aliases inside of aliases',
    query: `{ __schema { ${times(9, (n) => `a${n}: types { ...T }`)} } }
      fragment T on __Type { ${times(9, (n) => `a${n}: fields { ...F }`)} }
      fragment F on __Field { ${times(9, (n) => `a${n}: description`)} }`,
  },
  {
    what: 'the schema by aliases inside of aliases, without a fragment',
    query: `{ __schema { ${times(15, (n) => `a${n}: types { ${times(15, (m) => `b${m}: description`)} }`)} } }`,
  },
  { what: 'fragments that double 22 times', query: doublingFragments(22) },
  { what: 'fields that double 22 times', query: doublingFields(22) },
  { what: '10,000 levels', query: `${'{ me '.repeat(10_000)}{ id }${' }'.repeat(10_000)}` },
  { what: '400 levels', query: `${'{ me '.repeat(400)}{ id }${' }'.repeat(400)}` },
  { what: '7 levels', query: '{ projects { owner { a { b { c { d { e } } } } } } }' },
  { what: '20,000 times one field', query: `{ ${'id '.repeat(20_000)} }` },
  { what: '990 times one field', query: `{ ${'hasSession '.repeat(990)} }` },
  { what: '990 times one field further down', query: `{ me { ${'id '.repeat(985)} } }` },
  { what: '330 aliases that overlap', query: `{ me { ${times(165, () => 'x: id x: fullName')} } }` },
  { what: '3,000 fields that overlap', query: `{ ${times(3_000, (n) => `projectId(name: "${n}")`)} }` },
  {
    what: '120 fields that overlap',
    query: `{ ${times(120, (n) => `x: projectId(name: "${n}")`)} }`,
  },
  { what: '10,000 directives', query: `{ hasSession ${'@include(if: true) '.repeat(10_000)} }` },
  { what: '11 directives', query: `{ ${times(11, (n) => `a${n}: hasSession @skip(if: false)`)} }` },
  { what: '150 unknown directives', query: `{ hasSession ${times(150, (n) => `@d${n}`)} }` },
  { what: '16 aliases', query: `{ ${times(16, (n) => `a${n}: hasSession`)} }` },
  { what: '101 aliases of a meta field', query: `{ ${times(101, (n) => `a${n}: __typename`)} }` },
  {
    what: '21 root fields',
    query: `{ ${times(11, (n) => `a${n}: hasSession`)} ${times(10, (n) => `b${n}: me { id }`)} }`,
  },
  {
    what: 'a fragment with the name of a meta field',
    query: `{ ...__schema } fragment __schema on Query { ${times(16, (n) => `a${n}: me { id }`)} }`,
  },
  {
    what: 'a deep fragment with the name of a meta field',
    query: `{ me { ...__type } } fragment __type on User { __schema { a { b { c { d { e { f } } } } } } }`,
  },
  { what: 'a fragment that spreads itself', query: '{ ...A } fragment A on Query { hasSession ...A }' },
  {
    what: 'a ring of 150 fragments',
    query: `{ ...F0 } ${times(150, (n) => `fragment F${n} on Query { ...F${(n + 1) % 150} }`)}`,
  },
  {
    what: 'a chain of 1,100 fragments',
    query: `{ ...F0 } ${times(1_100, (n) => `fragment F${n} on Query { ...F${n + 1} }`)}`,
  },
  {
    what: 'many large lists',
    query: `{ ${times(15, (n) => `p${n}: projects { id name raw }`)} }`,
  },
  {
    what: 'one large list with its largest field under many names',
    query: `{ projects { ${times(15, (n) => `r${n}: raw`)} } }`,
  },
  {
    what: 'a schema that is read in circles',
    query: `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`,
  },
  { what: '300 variables', query: `query (${times(250, (n) => `$v${n}: Int`)}) { hasSession }` },
  { what: 'a list 300 deep', query: `{ projectId(name: ${'['.repeat(300)}${']'.repeat(300)}) }` },
  {
    what: 'an unused fragment with 900 fields',
    query: `{ hasSession } fragment F on User { ${'id '.repeat(900)} }`,
  },
];
