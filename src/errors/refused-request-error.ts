import { GraphQLError } from 'graphql';
import { type ErrorCode, type ErrorReason } from 'portico/errors';

/** A request, or a field of it, that is understood but refused. Its message is for the caller and quotes nothing. */
export class RefusedRequestError extends GraphQLError {
  constructor(
    message: string,
    /** The HTTP status of the answer; undefined if only a field is refused. */
    status: number | undefined,
    readonly code: ErrorCode,
    readonly reason?: ErrorReason,
    /** Seconds after which the same request may succeed; undefined if it never will. */
    readonly retryAfter?: number,
  ) {
    super(message, status === undefined ? {} : { extensions: { http: { status } } });
  }
}
