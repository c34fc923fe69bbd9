import { type AskedQuery } from './repeated-queries.js';
import { isFields } from '../is-fields.js';

/** A query with its variables. */
export interface AskedOperation extends AskedQuery {
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The parts of a request that say what it queries. */
interface GraphQLRequest {
  readonly method: string;
  readonly headers: { readonly accept?: string | undefined };
  readonly body: unknown;
}

/** What a plain request queries; undefined for one that Apollo reads in another way, refuses, or knows by a hash. */
export function askedOperation({ method, headers, body }: GraphQLRequest): AskedOperation | undefined {
  if (method !== 'POST' || !isFields(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  if (typeof query !== 'string') return undefined;
  if (!isAbsent(operationName) && (typeof operationName !== 'string' || operationName === ''))
    return undefined;
  if (!isAbsent(variables) && !isFields(variables)) return undefined;
  if (!isAbsent(extensions) && (!isFields(extensions) || !isAbsent(extensions.persistedQuery)))
    return undefined;
  return {
    query,
    operationName: operationName ?? undefined,
    accept: headers.accept,
    variables: variables ?? {},
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
