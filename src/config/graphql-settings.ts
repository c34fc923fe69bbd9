import { IsOptional } from 'class-validator';
import { Flag, WholeNumber } from './checks.js';
import { ReadableFolder } from './file-checks.js';
import { Setting } from './setting.js';

export class GraphQLSettings {
  @Setting('`true` or `false`: introspection and the console; if not set: off in production, otherwise on')
  @IsOptional()
  @Flag()
  GRAPHQL_INTROSPECTION?: boolean;

  @Setting('maximum number of tokens in a GraphQL document')
  @WholeNumber(10)
  GRAPHQL_MAX_TOKENS = 1000;

  @Setting('maximum depth of fields; introspection may always be 16 levels deep')
  @WholeNumber(1)
  GRAPHQL_MAX_DEPTH = 6;

  @Setting('how many times one field may be selected in one place, under any aliases')
  @WholeNumber(1)
  GRAPHQL_MAX_ALIASES = 15;

  @Setting('maximum number of directives in a document')
  @WholeNumber(0)
  GRAPHQL_MAX_DIRECTIVES = 10;

  @Setting('maximum number of root fields in an operation')
  @WholeNumber(1)
  GRAPHQL_MAX_ROOT_FIELDS = 20;

  @Setting('maximum cost of a document: 1 per field, 10 per JSON object, times 10 for each list around it')
  @WholeNumber(1)
  GRAPHQL_MAX_COST = 1000;

  @Setting(
    'maximum number of values in an answer: each string, number, object and list counts as one, an error of one item in a list as 250',
  )
  @WholeNumber(1)
  GRAPHQL_MAX_ANSWER_NODES = 500_000;

  @Setting('maximum size of the data in an answer, in bytes')
  @WholeNumber(100)
  GRAPHQL_MAX_ANSWER_BYTES = 8 * 1024 * 1024;

  @Setting(
    'a folder of GraphQL documents, one per `.graphql` file, or manifests from Apollo or Relay; if set, no other document runs',
    'persisted-documents',
  )
  @ReadableFolder()
  PERSISTED_DOCUMENTS?: string;
}
