import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';

/** What decides, besides the variables, what a request is answered. */
export interface AskedQuery {
  readonly query: string;
  readonly operationName: string | undefined;
  /** The header `Accept`, which chooses the content type. */
  readonly accept: string | undefined;
}

/** What Apollo made of a query. */
export interface KnownQuery {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly contentType: string;
}

type Known = Omit<AskedQuery, 'query'> & KnownQuery;

const MOST_QUERIES = 200;
/** Names of operations and values of `Accept` by which one query is asked for. */
const MOST_VARIANTS = 8;
const MOST_CHARACTERS = 8 * 1024;

/** Queries that Apollo has parsed, validated and answered, by their text. The oldest makes room for the next. */
export class RepeatedQueries {
  readonly #known = new Map<string, Known[]>();

  /** Queries held. */
  get size(): number {
    return this.#known.size;
  }

  find({ query, operationName, accept }: AskedQuery): KnownQuery | undefined {
    return this.#known
      .get(query)
      ?.find((known) => known.operationName === operationName && known.accept === accept);
  }

  remember({ query, operationName, accept }: AskedQuery, known: KnownQuery): void {
    if (query.length + (accept?.length ?? 0) > MOST_CHARACTERS) return;
    const variants = this.#known.get(query) ?? [];
    variants.push({ operationName, accept, ...known });
    if (variants.length > MOST_VARIANTS) variants.shift();
    if (variants.length > 1) return;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST_QUERIES && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(query, variants);
  }
}
