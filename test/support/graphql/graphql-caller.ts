import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { noteExchange } from '../secrets/secret-ledger.js';

/** One answer of the GraphQL endpoint, with all that a test may look at. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The tests say what they expect of the data; its type is not theirs to prove.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
  readonly errors:
    readonly { message: string; path?: unknown[]; extensions: Record<string, unknown> }[] | undefined;
}

export interface CallOptions {
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  /** Sent as `Authorization: Bearer`. */
  readonly handle?: string;
}

export type GraphQLCaller = (query: string, options?: CallOptions) => Promise<Answer>;

/** Calls a GraphQL endpoint over real HTTP. */
export function graphQLCaller(url: string): GraphQLCaller {
  return async (query, { variables, headers = {}, handle } = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(handle === undefined ? {} : { authorization: `Bearer ${handle}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    noteExchange(JSON.stringify({ query, variables }), text, response.headers.getSetCookie());
    const { data, errors } = JSON.parse(text) as Pick<Answer, 'data' | 'errors'>;
    return { status: response.status, headers: response.headers, text, data, errors };
  };
}

/** Logs in with the given input and returns the bearer handle. */
export async function bearerHandle(call: GraphQLCaller, input: Record<string, unknown>): Promise<string> {
  const { data, text } = await call('mutation ($input: LoginInput!) { login(input: $input) { handle } }', {
    variables: { input: { ...input, transport: 'BEARER' } },
  });
  const handle: unknown = data?.login?.handle;
  if (typeof handle !== 'string') throw new Error(`no handle in ${text}`);
  return handle;
}

/** The same on a machine so busy that the store may not answer in time: tried again until it does. */
export async function bearerHandleAtLast(
  call: GraphQLCaller,
  input: Record<string, unknown>,
): Promise<string> {
  let handle: string | undefined;
  await eventually(async () => {
    handle = await bearerHandle(call, input);
  });
  return handle ?? '';
}

/** The answer of a service whose store may still be coming back, or be late on a busy machine: asked again until it answers. */
export async function answerAtLast(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.errors?.[0]?.extensions.code !== 'SESSION_STORE_UNAVAILABLE') return answer;
    await pause(20);
  }
}
