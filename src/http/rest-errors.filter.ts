import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PlatformError } from 'portico/client';
import { CredentialError } from 'portico/credentials';
import { type ErrorCode } from 'portico/errors';
import { ServiceError } from '../errors/service-error.js';
import { toGraphQLError } from '../errors/to-graphql-error.js';
import { addHeader, contextOf, type HostAnswer, type HostRequest } from './caller-context.js';
import { UnclearHeaderError } from './address.js';
import { setCookieHeader } from './session-cookie.js';

/** The HTTP status of each code on a route that is not GraphQL. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_USER_INPUT: 400,
  BAD_REQUEST: 400,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  SESSION_STORE_UNAVAILABLE: 503,
  CREDENTIAL_UNAVAILABLE: 503,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
  BACKEND_ERROR: 502,
  UPSTREAM_PROTOCOL: 502,
  UNKNOWN_PLATFORM_ERROR: 502,
  PLATFORM_ERROR: 502,
};
const SERVER_ERROR = 500;

/**
 * An error of this service, of its client or of its credentials as an exception of Nest: with the status of its code,
 * and code, reason and the other facts of docs/errors.md in the body. The answer gets `Retry-After`, and clears a
 * cookie that opens nothing.
 */
export function restException(thrown: unknown, request: HostRequest, answer: HostAnswer): HttpException {
  const error =
    thrown instanceof UnclearHeaderError ? new ServiceError('BAD_REQUEST', thrown.message) : thrown;
  const { message, extensions = {} } = toGraphQLError({ message: '' }, error);
  const { code, retryAfter } = extensions;
  const context = contextOf(request);
  if (typeof retryAfter === 'number') addHeader(answer, 'retry-after', String(retryAfter));
  if (context?.cookie !== undefined)
    addHeader(answer, 'set-cookie', setCookieHeader(context.sessionCookie, context.cookie));
  const statusCode = STATUSES[code as ErrorCode] ?? SERVER_ERROR;
  const body = { statusCode, message, ...extensions, requestId: context?.requestId };
  return new HttpException(body, statusCode, { cause: error });
}

/** Answers REST routes that end with an error of this service, of its client or of its credentials. */
@Injectable()
@Catch(PlatformError, ServiceError, CredentialError)
export class PorticoExceptionFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    // The errors of resolvers are for `formatError`.
    if (host.getType<string>() !== 'http') return thrown;
    const http = host.switchToHttp();
    const answer = http.getResponse<HostAnswer>();
    const exception = restException(thrown, http.getRequest<HostRequest>(), answer);
    this.host.httpAdapter.reply(answer, exception.getResponse(), exception.getStatus());
    return undefined;
  }
}
