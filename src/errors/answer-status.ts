import { type GraphQLFormattedError } from 'graphql';

const OK = 200;
const BAD_REQUEST = 400;
const SERVICE_UNAVAILABLE = 503;
/** The codes of mistakes in a document or its variables. */
const REQUEST_MISTAKES: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

/**
 * The HTTP status of an answer with errors. A store that is down is 503. A document that does not match the schema is
 * 400. A client that accepts only `application/json` would treat that as a network failure, so GraphQL over HTTP sends it 200.
 * A document that exceeds a limit is 400 for every client.
 *
 * @param status the status for `application/graphql-response+json` by GraphQL over HTTP; undefined for 200.
 */
export function answerStatus(
  status: number | undefined,
  errors: readonly GraphQLFormattedError[],
  accept: string | undefined,
): number | undefined {
  if (errors.some(({ extensions }) => extensions?.code === 'SESSION_STORE_UNAVAILABLE')) {
    return SERVICE_UNAVAILABLE;
  }
  const isMistake = errors.every(
    ({ extensions }) => REQUEST_MISTAKES.has(extensions?.code) && extensions?.reason !== 'LIMIT_EXCEEDED',
  );
  return status === BAD_REQUEST && isMistake && acceptsOnlyPlainJson(accept) ? OK : status;
}

function acceptsOnlyPlainJson(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => (part.split(';', 1)[0] ?? '').trim().toLowerCase());
  return types.every((type) => type === 'application/json');
}
