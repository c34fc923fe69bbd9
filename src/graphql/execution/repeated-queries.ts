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

  find(asked: AskedQuery): KnownQuery | undefined {
    return this.#known.get(asked.query)?.find((known) => isAskedAs(known, asked));
  }

  /** Takes the place of what was known before: Apollo may have parsed the text again. */
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
