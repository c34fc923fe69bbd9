import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** One answer, as a client library shows it. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * Plain HTTP for writing down what a client sends: headers go out as they are spelled, in their order, and no other is
 * added but `Host` and `Connection`. One connection is kept open, and cookies are remembered by name.
 */
export class PlainHttp {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #baseUrl: string;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly cookies = new Map<string, string>();

  constructor(baseUrl: string, defaultHeaders: Readonly<Record<string, string>> = {}) {
    this.#baseUrl = baseUrl;
    this.#defaultHeaders = defaultHeaders;
  }

  /** @param operation method and path, such as `GET sessions`. */
  async send(
    operation: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<PlainAnswer> {
    const [method = '', path = ''] = operation.split(' ');
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = request(`${this.#baseUrl}/${path}`, {
      method,
      agent: this.#agent,
      headers: {
        ...this.#defaultHeaders,
        ...(cookie && { Cookie: cookie }),
        ...headers,
        ...lengthOf(method, body),
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks = await response.toArray();
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks as Buffer[]).toString(),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Clients announce the empty body of a POST or PUT too. */
function lengthOf(method: string, body: string | undefined): Record<string, string> {
  if (body === undefined && method !== 'POST' && method !== 'PUT') return {};
  return { 'Content-Length': String(Buffer.byteLength(body ?? '')) };
}

/** A form as Python's `urlencode` and JavaScript's `URLSearchParams` write it. */
export function formOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}
