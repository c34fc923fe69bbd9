import { GraphQLError } from 'graphql';
import { type ErrorCode } from './error-codes.js';

/** A request that is refused before any of it runs. Its message quotes nothing of the request, so it is shown. */
export class RequestRefusedError extends GraphQLError {
  override readonly name = 'RequestRefusedError';

  /** @param status the HTTP status of the answer. */
  constructor(
    readonly code: ErrorCode,
    message: string,
    status: number,
  ) {
    super(message, { extensions: { code, http: { status } } });
  }
}
