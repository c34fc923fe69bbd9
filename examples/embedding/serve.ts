/**
 * Serves the two pages of this example, each with its own Portico under `/graphql`:
 *
 *   node examples/embedding/serve.ts [portal's Portico] [reports' Portico]
 *
 * By default, these are on ports 3001 and 3002. PORTAL_PORT and REPORTS_PORT are the ports of the pages. To a
 * browser, `localhost` and `127.0.0.1` are two sites, like those of two companies: neither gets the other's cookies.
 */
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

const TYPES: Record<string, string> = { css: 'text/css', html: 'text/html', js: 'text/javascript' };
const [portalPortico = 'http://127.0.0.1:3001', reportsPortico = 'http://127.0.0.1:3002'] =
  process.argv.slice(2);

const portal = { page: 'portal', portico: portalPortico, files: ['page.css', 'portal.js', 'portico.js'] };
const reports = { page: 'reports', portico: reportsPortico, files: ['page.css', 'reports.js', 'portico.js'] };
const origins = { portal: '', reports: '' };
origins.portal = await serve('localhost', process.env.PORTAL_PORT ?? '4001', (request, response) => {
  const policy = `frame-src ${origins.reports}; frame-ancestors 'none'`;
  return answer(portal, policy, origins.reports, request, response);
});
origins.reports = await serve('127.0.0.1', process.env.REPORTS_PORT ?? '4002', (request, response) =>
  answer(reports, `frame-ancestors ${origins.portal}`, origins.portal, request, response),
);
console.log(`Portal   ${origins.portal}\nReports  ${origins.reports}`);

interface Site {
  readonly page: string;
  readonly portico: string;
  readonly files: readonly string[];
}

/** @returns the origin of the page, once it is served. */
async function serve(
  name: string,
  port: string,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response).catch((fault: unknown) => response.destroy(fault as Error));
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}

/** @param partner the one origin that the page exchanges messages with. */
async function answer(
  { page, portico, files }: Site,
  policy: string,
  partner: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '/';
  const file = path === '/' ? `${page}.html` : path.slice(1);
  if (path === '/graphql') {
    passOn(portico, request, response);
  } else if (path === '/settings.json') {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ partner }));
  } else if (path === '/' || files.includes(file)) {
    response.setHeader('content-type', TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain');
    response.setHeader('content-security-policy', `default-src 'self'; img-src data:; ${policy}`);
    response.setHeader('referrer-policy', 'no-referrer');
    response.end(await readFile(new URL(file, import.meta.url)));
  } else {
    response.writeHead(404).end();
  }
}

/** One origin for the page and its Portico, as with a reverse proxy. `Host` is kept: Portico compares it with `Origin`. */
function passOn(portico: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = ask(new URL('/graphql', portico), { method, headers }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
}
