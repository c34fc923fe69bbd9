import { GraphQLError } from 'graphql';
import { type ErrorCode } from '../../errors/error-codes.js';
import { type ErrorReason } from '../../errors/error-reasons.js';

/** A request that is understood but refused as a whole. Its message is for the caller and quotes nothing. */
export class RefusedRequestError extends GraphQLError {
  constructor(
    message: string,
    /** The HTTP status of the answer. */
    status: number,
    readonly code: ErrorCode,
    readonly reason?: ErrorReason,
  ) {
    super(message, { extensions: { http: { status } } });
  }
}
