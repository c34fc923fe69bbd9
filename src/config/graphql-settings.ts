import { IsOptional } from 'class-validator';
import { Flag, Matching, ReadableFolder, Rule, WholeNumber } from './checks.js';
import { Secret, Setting } from './setting.js';
import { looksRandom } from './key-list.js';

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

const FEDERATION_TEXT = /^[\x21-\x7e]{16,1024}$/;
/** Only once in 20,000 times do 16 random hex digits have fewer different ones than this. */
const LEAST_DIFFERENT_CHARACTERS = 6;

export class FederationSettings {
  @Setting(
    'if set, `_service` and `_entities` require it in the header `X-Federation-Secret`; if not set, they are off in production',
    '<the output of: openssl rand -base64 32>',
  )
  @Secret()
  @Matching(
    FEDERATION_TEXT,
    'must be 16 to 1024 printable ASCII characters without spaces, so that it cannot be guessed and a header can carry it',
  )
  @Rule(
    'must be random, such as the output of: openssl rand -base64 32',
    (value) =>
      typeof value !== 'string' ||
      !FEDERATION_TEXT.test(value) ||
      looksRandom(Buffer.from(value), LEAST_DIFFERENT_CHARACTERS),
  )
  FEDERATION_SECRET?: string;

  @Setting('how many entities one operation may request by key')
  @WholeNumber(1)
  FEDERATION_MAX_REPRESENTATIONS = 1000;

  @Setting(
    'maximum size of a request body from a router that sends `FEDERATION_SECRET`, in bytes; `HTTP_BODY_LIMIT_BYTES` applies to all others, and to routers too if it is larger',
  )
  @WholeNumber(100)
  FEDERATION_BODY_LIMIT_BYTES = 1024 * 1024;

  @Setting(
    'prefix of the root fields, for graphs where `me` and `projects` are taken: with `analytics` they become `analyticsMe` and `analyticsProjects`',
    'analytics',
  )
  @Matching(
    /^[A-Za-z][A-Za-z0-9]{0,31}$/,
    'must be a letter followed by letters or digits, at most 32 in all',
  )
  FIELD_PREFIX?: string;

  @Setting(
    'prefix of the types, for graphs that have their own `User` or `Session`: with `Analytics` they become `AnalyticsUser` and `AnalyticsSession`; `Project`, `PageInfo` and scalars keep their names',
    'Analytics',
  )
  @Matching(
    /^[A-Z][A-Za-z0-9]{0,31}$/,
    'must be a capital letter followed by letters or digits, at most 32 in all',
  )
  TYPE_PREFIX?: string;
}
