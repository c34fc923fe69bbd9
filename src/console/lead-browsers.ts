import { type FastifyInstance } from 'fastify';

const ENDPOINT = '/graphql';

/**
 * Redirects a person who opens the endpoint in a browser to the console, with the query of the address if there is
 * one. Programs name JSON in `accept`, or nothing.
 */
export function leadBrowsersToConsole(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const [path = '', ...search] = request.url.split('?');
    const { accept } = request.headers;
    if (request.method !== 'GET' || path !== ENDPOINT || accept === undefined || !isOfPerson(accept)) {
      done();
      return;
    }
    void reply.header('vary', 'accept').redirect(search.length === 0 ? '/' : `/?${search.join('?')}`, 302);
  });
}

function isOfPerson(accept: string): boolean {
  return /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}
