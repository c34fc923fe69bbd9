import { MIMEType } from 'node:util';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

/** A body of an unsupported type. Fastify answers with the status. */
class UnreadableBodyError extends Error {
  readonly statusCode = 415;
}

/** Accepts only `application/json` in UTF-8: a foreign page can send forms and plain text without a preflight. */
export function readJsonOnly(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (isReadable(request)) done(null, payload);
    else done(new UnreadableBodyError('The body is not plain JSON in UTF-8'));
  });
}

function isReadable({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': encoding = 'identity', 'content-type': contentType } = headers;
  return encoding === 'identity' && (contentType === undefined || isUtf8Json(contentType));
}

function isUtf8Json(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}
