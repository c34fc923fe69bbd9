/** What a client holds after a login: the two request headers that carry a session. */
export interface HeldSession {
  readonly headers: Readonly<Record<string, string>>;
}

/** What `fetch` takes as a body. */
export type WireBody = NonNullable<RequestInit['body']>;

export interface CallOptions {
  readonly session?: HeldSession;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly body?: WireBody;
}

/** Calls the platform by plain `fetch`, with neither the client nor any code of the platform. */
export class Wire {
  constructor(
    readonly baseUrl: string,
    readonly vendor = 'SVC',
  ) {}

  call(operation: string, options: CallOptions = {}): Promise<Response> {
    const [method, path = ''] = operation.split(' ');
    const { session, headers, json, form } = options;
    const body =
      json === undefined ? (form ? new URLSearchParams(form) : options.body) : JSON.stringify(json);
    return fetch(`${this.baseUrl}/${path}`, {
      method,
      body,
      redirect: 'manual',
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...session?.headers,
        ...headers,
      },
    });
  }

  /** Logs in and keeps token and cookie; throws for anything but 204 with both. */
  async login(fields: Record<string, unknown>): Promise<HeldSession> {
    return this.hold(await this.call('POST auth/login', { json: { applicationType: 8, ...fields } }));
  }

  loginAs(username: string): Promise<HeldSession> {
    return this.login({ username, password: 'demo', loginMode: 1 });
  }

  async delegate(identityToken: string): Promise<HeldSession> {
    return this.hold(await this.call('POST auth/delegate', { json: { loginMode: -1, identityToken } }));
  }

  async mintIdentityToken(session: HeldSession): Promise<string> {
    const response = await this.call('POST auth/identityToken', { session });
    const token = response.headers.get(`X-${this.vendor}-IdentityToken`);
    if (response.status !== 201 || token === null) throw new Error(`No identity token: ${response.status}`);
    return token;
  }

  hold(response: Response): HeldSession {
    const token = response.headers.get(`X-${this.vendor}-AuthToken`);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    if (response.status !== 204 || token === null || cookies.length === 0) {
      throw new Error(`No session: ${response.status}`);
    }
    return { headers: { [`X-${this.vendor}-AuthToken`]: token, cookie: cookies.join('; ') } };
  }
}

export const statusOf = async (response: Promise<Response>): Promise<number> => (await response).status;

export const jsonOf = async <T>(response: Promise<Response>): Promise<T> =>
  (await (await response).json()) as T;
