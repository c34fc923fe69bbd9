import { type FastifyInstance } from 'fastify';

/** A request that names two documents. Fastify answers with the status. */
class TwoDocumentsError extends Error {
  readonly statusCode = 400;
}

/**
 * Treats `documentId` of GraphQL over HTTP as what Apollo calls a persisted query: the id of an allowed document, as
 * `sha256:` with the hash of its text, or as a manifest names it.
 */
export function readDocumentIds(server: FastifyInstance): void {
  server.addHook('preValidation', (request, _reply, done) => {
    const { body, query } = request;
    try {
      if (isFields(body) && typeof body.documentId === 'string') {
        Object.assign(body, { extensions: extensionsOf(body, body.documentId) });
      } else if (request.method === 'GET' && isFields(query) && typeof query.documentId === 'string') {
        // Apollo reads the query from the URL.
        request.raw.url = withExtensions(request.url, extensionsOf(query, query.documentId));
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The extensions of a request with an id, which has neither a document nor another hash of one. */
function extensionsOf(fields: Fields, id: string): Fields {
  const given = typeof fields.extensions === 'string' ? parsed(fields.extensions) : fields.extensions;
  const extensions = isFields(given) ? given : {};
  const { query } = fields;
  const hasQuery = query !== undefined && query !== null;
  if (hasQuery || extensions.persistedQuery !== undefined) {
    throw new TwoDocumentsError('A request must have either documentId or a document, not both');
  }
  return { ...extensions, persistedQuery: { version: 1, sha256Hash: id.replace(/^sha256:/, '') } };
}

function withExtensions(url: string, extensions: Fields): string {
  const end = url.indexOf('?');
  const parameters = new URLSearchParams(url.slice(end));
  parameters.set('extensions', JSON.stringify(extensions));
  return `${url.slice(0, end)}?${parameters.toString()}`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object with members, not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
