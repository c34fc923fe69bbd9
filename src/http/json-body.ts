import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

/** A body of an unsupported type. Fastify answers with the status. */
class UnsupportedBodyError extends Error {
  readonly statusCode = 415;
}

/** A body that is not JSON or that parsers read differently. Fastify answers with the status. */
class UnreadableJsonError extends Error {
  readonly statusCode = 400;
}

const BYTE_ORDER_MARK = '\ufeff';

const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** Accepts only `application/json` in UTF-8: a foreign page can send forms and plain text without a preflight. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (isUtf8Json(request)) done(null, payload);
    else done(new UnsupportedBodyError('The body is not plain JSON in UTF-8'));
  });
}

function isUtf8Json({ headers }: FastifyRequest): boolean {
  const { 'content-encoding': encoding = 'identity', 'content-type': contentType } = headers;
  if (encoding !== 'identity') return false;
  if (contentType === undefined || contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

/**
 * Reads JSON bodies with Fastify's own parser, and refuses what parsers read differently: a byte order mark, bytes
 * that are not UTF-8, a duplicate name in an object.
 *
 * @param admit called with the bytes before they are parsed; what it throws is the answer.
 */
export function readJsonBodies(
  server: FastifyInstance,
  admit: (request: FastifyRequest, bytes: Buffer) => Promise<void>,
): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    admit(request, bytes).then(() => {
      const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined;
      if (text === undefined) done(new UnreadableJsonError('The body is not UTF-8'));
      else if (text.startsWith(BYTE_ORDER_MARK))
        done(new UnreadableJsonError('The body begins with a byte order mark'));
      else {
        void parse(request, text, (error, value: unknown) => {
          if (error !== null) done(error);
          else if (namesWritten(text) !== namesRead(value))
            done(new UnreadableJsonError('An object has a duplicate name'));
          else done(null, value);
        });
      }
    }, done);
  });
}

/** Works on a text that has been parsed. A colon follows names, never values. */
function namesWritten(json: string): number {
  let count = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', start)) {
    start = endOfString(json, start) + 1;
    // All white space of JSON is at most a space.
    while (json.charCodeAt(start) <= SPACE) start += 1;
    if (json.charCodeAt(start) === COLON) count += 1;
  }
  return count;
}

/** The quotation mark that ends a string: one that follows an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}

/** Without recursion: a body may be deeper than the stack. */
function namesRead(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) left.push(member);
  }
  return count;
}
