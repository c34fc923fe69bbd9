import { ask, type Headers } from '../load/ask.ts';

/** Logs in through a system that keeps sessions. */
export async function bearer(port: number, query: string): Promise<Headers> {
  const { body } = await ask(port, '/graphql', { query });
  const handle = /"handle":"([^"]+)"/.exec(body)?.[1];
  if (handle === undefined) throw new Error(`The login failed: ${body.slice(0, 200)}`);
  return { authorization: `Bearer ${handle}` };
}

/** Logs in at the platform itself, for a system that only passes the platform's token and cookie on. */
export async function platformHeaders(platformPort: number): Promise<Headers> {
  const { headers } = await ask(platformPort, '/api/auth/login', { loginMode: 1 });
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { 'x-svc-authtoken': String(headers['x-svc-authtoken']), cookie };
}
