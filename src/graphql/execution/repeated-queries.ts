import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { isFields } from '../limits/document-id.js';

/** What decides the answer to a request, besides the variables. */
export interface AskedQuery {
  readonly query: string;
  readonly operationName: string | undefined;
  /** The header `Accept`, which chooses the content type. */
  readonly accept: string | undefined;
}

/** How Apollo answered a query. */
export interface KnownQuery {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly contentType: string;
}

type Known = Omit<AskedQuery, 'query'> & KnownQuery;

const MOST_QUERIES = 200;
/** Operation names and values of `Accept` with which one query is requested. */
const MOST_VARIANTS = 8;
const MOST_CHARACTERS = 8 * 1024;

/** Queries that Apollo has parsed, validated and answered, by their text. The oldest makes room for the next. */
export class RepeatedQueries {
  readonly #known = new Map<string, Known[]>();

  /** How many queries are kept. */
  get size(): number {
    return this.#known.size;
  }

  find(asked: AskedQuery): KnownQuery | undefined {
    return this.#known.get(asked.query)?.find((known) => isAskedAs(known, asked));
  }

  /** Replaces what was known before: Apollo may have parsed the text again. */
  remember(asked: AskedQuery, known: KnownQuery): void {
    const { query, operationName, accept } = asked;
    if (query.length + (accept?.length ?? 0) > MOST_CHARACTERS) return;
    const [oldest] = this.#known.keys();
    if (!this.#known.has(query) && this.#known.size >= MOST_QUERIES && oldest !== undefined) {
      this.#known.delete(oldest);
    }
    const others = (this.#known.get(query) ?? []).filter((other) => !isAskedAs(other, asked));
    this.#known.set(query, [...others.slice(1 - MOST_VARIANTS), { operationName, accept, ...known }]);
  }
}

function isAskedAs(known: Known, { operationName, accept }: AskedQuery): boolean {
  return known.operationName === operationName && known.accept === accept;
}

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
