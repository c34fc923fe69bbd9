import { type GraphQLFormattedError } from 'graphql';
import { toGraphQLError } from './to-graphql-error.js';

/** How the errors of an answer look, with the id of the request that they belong to. */
export class ErrorFormat {
  readonly #schemaIsPublic: boolean;
  readonly #requestId: () => string | undefined;

  constructor(schemaIsPublic: boolean, requestId: () => string | undefined) {
    this.#schemaIsPublic = schemaIsPublic;
    this.#requestId = requestId;
  }

  /** @param formatted the error as GraphQL would print it; only its path and locations are kept. */
  readonly format = (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const error = toGraphQLError(formatted, thrown, this.#schemaIsPublic);
    return { ...error, extensions: { ...error.extensions, requestId: this.#requestId() } };
  };
}
