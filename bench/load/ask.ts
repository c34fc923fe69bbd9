import { request, type IncomingHttpHeaders } from 'node:http';

export type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const TIME_LIMIT = 30_000;

/**
 * One request with a connection of its own, and its whole answer: for logins and checks, not for load.
 *
 * @param from the local address that it comes from; by default the system's choice.
 */
export function ask(
  port: number,
  path: string,
  body: object,
  headers: Headers = {},
  from?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        port,
        path,
        host: '127.0.0.1',
        localAddress: from,
        method: 'POST',
        agent: false,
        timeout: TIME_LIMIT,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        });
      },
    );
    call.on('error', reject);
    call.on('timeout', () => call.destroy(new Error(`no answer within ${TIME_LIMIT / 1000} seconds`)));
    call.end(JSON.stringify(body));
  });
}
