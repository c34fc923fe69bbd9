import { type IncomingHttpHeaders } from 'node:http';
import { finished, Transform, type TransformCallback } from 'node:stream';
import { type FastifyInstance } from 'fastify';

/** How large a request body may be, in bytes. */
export interface BodyLimits {
  /** From any caller. */
  readonly usual: number;
  /** From callers that {@link mayBeLarge} accepts. */
  readonly large: number;
  /** Called only for a request whose body is, or may turn out to be, larger than the usual limit. */
  readonly mayBeLarge: (headers: IncomingHttpHeaders) => boolean;
}

/** A body over the limit of its sender. Fastify answers with the status. */
class BodyTooLargeError extends Error {
  readonly statusCode = 413;
}

/** The limit that the server itself has to have. */
export function serverLimit({ usual, large }: BodyLimits): number {
  return Math.max(usual, large);
}

/** Holds all callers to the usual limit, except those who may send more: the server's own limit stops them. */
export function limitBodies(server: FastifyInstance, limits: BodyLimits): void {
  const { usual, mayBeLarge } = limits;
  if (serverLimit(limits) === usual) return;
  server.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const isChunked = headers['transfer-encoding'] !== undefined;
    if (!isChunked && Number(headers['content-length'] ?? 0) <= usual) done(null, payload);
    else if (mayBeLarge(headers)) done(null, payload);
    else if (isChunked) done(null, withLimit(payload, usual));
    else done(new BodyTooLargeError());
  });
}

/**
 * Passes the stream on until it exceeds the limit. The source is left alone: its socket still has to carry the
 * answer.
 */
function withLimit(source: NodeJS.ReadableStream, limit: number): Transform {
  let received = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      received += chunk.length;
      if (received > limit) done(new BodyTooLargeError());
      else done(null, chunk);
    },
  });
  finished(source, (error) => {
    if (error != null) limited.destroy(error);
  });
  return source.pipe(limited);
}
