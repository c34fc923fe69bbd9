import { type IncomingMessage } from 'node:http';
import { type FailureKind, jsonAnswer, type WireAnswer } from './loopback-secret-store.js';

/** An answer of AWS's JSON 1.1 protocol. */
export function awsAnswer(status: number, body: unknown): WireAnswer {
  return jsonAnswer(status, body, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': '2f1c7f0e-0000-4000-8000-000000000000',
  });
}

/** AWS names its errors by `__type`, nearly all with status 400. */
export function awsFailure(kind: FailureKind, notFound: string, message: string): WireAnswer {
  const types = {
    'not-found': notFound,
    denied: 'AccessDeniedException',
    throttled: 'ThrottlingException',
    failing: 'InternalServiceError',
  };
  return awsAnswer(kind === 'failing' ? 500 : 400, { __type: types[kind], message });
}

/** A request that bears no signature is refused before anything else. */
export function unsigned(request: IncomingMessage): WireAnswer | undefined {
  return request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=') === true
    ? undefined
    : awsAnswer(400, { __type: 'MissingAuthenticationTokenException', message: 'Missing signature' });
}
