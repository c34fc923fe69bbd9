import { Injectable } from '@nestjs/common';
import { type ExecutionResult, type GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ErrorFormat } from '../../errors/to-graphql-error.js';
import { CompiledQueries, type RequestedOperation } from './compiled-queries.js';

/** The result of a compiled query, with its errors as callers see them. */
export interface CompiledAnswer {
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLFormattedError[] | undefined;
  /** The errors as they were thrown, in the same order. */
  readonly thrown: readonly GraphQLError[] | undefined;
}

/**
 * Answers frequent queries with compiled code. Their errors are mapped by the same function that Apollo calls for
 * all others.
 */
@Injectable()
export class CompiledAnswers {
  readonly #queries = new CompiledQueries();

  constructor(private readonly format: ErrorFormat) {}

  /** Undefined if GraphQL has to execute the operation itself. Nothing was called then. */
  async answer(requested: RequestedOperation): Promise<CompiledAnswer | undefined> {
    const result = await this.#queries.execute(requested);
    if (result === undefined) return undefined;
    const { data, errors: thrown } = result;
    const errors = thrown?.map((error) => {
      const { message, path, locations } = error;
      return this.format.format({ message, path, locations }, error);
    });
    return { data, errors, thrown };
  }
}
