/**
 * Adds the directives of your graph to the subgraph, before it is composed:
 *
 *   node add-directives.js ../../subgraph.gql directives.graphql > portico.graphql
 */
import { readFileSync } from 'node:fs';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { print } from 'graphql';

const [subgraph, directives] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
// @cost and @listSize came with federation v2.9.
const linked = subgraph.replace(
  'federation/v2.7", import: [',
  'federation/v2.9", import: ["@cost", "@listSize", ',
);
process.stdout.write(print(mergeTypeDefs([linked, directives])));
