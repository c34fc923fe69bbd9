/**
 * Checks the next version of a subgraph against your graph, on your machine and without an account:
 *
 *   node check-next.js portico.graphql next.graphql ratings.graphql …
 *
 * Prints what the next version changes for your clients, composes it with the other subgraphs, and fails if a change
 * breaks clients or the graph no longer composes.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { diff } from '@graphql-inspector/core';
import { composeServices } from '@theguild/federation-composition';
import { buildASTSchema, parse } from 'graphql';

const [current, next, ...others] = process.argv.slice(2);
const read = (path) => parse(readFileSync(path, 'utf8'));
const schema = (path) => buildASTSchema(read(path), { assumeValidSDL: true });

for (const { message, criticality } of await diff(schema(current), schema(next))) {
  // BREAKING: a client that worked may not. DANGEROUS: it may meet what it does not know, such as a new enum value.
  console.log(`${criticality.level}: ${message}`);
  if (criticality.level === 'BREAKING') process.exitCode = 1;
}
const subgraphs = [next, ...others].map((path) => ({ name: basename(path), typeDefs: read(path) }));
for (const { message } of composeServices(subgraphs).errors ?? []) {
  console.log(`NOT COMPOSED: ${message}`);
  process.exitCode = 1;
}
