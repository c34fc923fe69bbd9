import { type GraphQLFormattedError } from 'graphql';

const OK = 200;
const BAD_REQUEST = 400;
const SERVICE_UNAVAILABLE = 503;
/** What a document or its variables can be wrong in. */
const UNFIT: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

/**
 * The HTTP status of an answer with errors. A store that is down is 503. A document that does not fit is 400; but a
 * client that names `application/json` alone takes that for a failure of the network, so GraphQL over HTTP gives it 200.
 * What goes beyond a limit is 400 to everybody.
 *
 * @param status what GraphQL over HTTP wants for `application/graphql-response+json`; undefined for 200.
 */
export function answerStatus(
  status: number | undefined,
  errors: readonly GraphQLFormattedError[],
  accept: string | undefined,
): number | undefined {
  if (errors.some(({ extensions }) => extensions?.code === 'SESSION_STORE_UNAVAILABLE')) {
    return SERVICE_UNAVAILABLE;
  }
  const unfit = errors.every(
    ({ extensions }) => UNFIT.has(extensions?.code) && extensions?.reason !== 'LIMIT_EXCEEDED',
  );
  return status === BAD_REQUEST && unfit && takesPlainJsonOnly(accept) ? OK : status;
}

function takesPlainJsonOnly(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => (part.split(';', 1)[0] ?? '').trim().toLowerCase());
  return types.every((type) => type === 'application/json');
}
