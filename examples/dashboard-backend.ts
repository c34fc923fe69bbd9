/**
 * A dashboard back end without a password: it logs in with a credential profile, sends one query on a schedule, and does not
 * notice that its platform session expires in between, because the service logs in again.
 *
 *   PROFILE_KEY=… node examples/dashboard-backend.ts <address of the service> <profile> [seconds between two queries]
 *
 * Without arguments, it starts its own service and the embedded platform, where sessions of the user `short-session`
 * expire after 5 idle seconds, and moves that platform's clock forward by a minute instead of waiting.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';

export interface Dashboard {
  readonly serviceUrl: string;
  readonly profile: string;
  readonly profileKey: string;
  /** When to query again. */
  readonly schedule: AsyncIterable<unknown> | Iterable<unknown>;
  readonly show: (line: string) => void;
}

const LOGIN =
  'mutation ($profile: String!, $profileKey: String!) { login(input: {profile: $profile, profileKey: $profileKey, transport: BEARER}) { handle } }';
const PAGE = '{ me { fullName } projects { id name } }';

export async function runDashboard({ schedule, show, ...login }: Dashboard): Promise<void> {
  let handle = await logIn(login);
  const refresh = async (): Promise<void> => {
    const { me, projects } = await ask<Page>(login.serviceUrl, PAGE, { handle });
    show(`${me.fullName} has ${projects.length} projects.`);
  };
  try {
    await refresh();
    for await (const _ of schedule) {
      try {
        try {
          await refresh();
        } catch (error) {
          // The handle has its own end, whatever happens to the platform session.
          if (!(error instanceof QueryError && error.code === 'UNAUTHENTICATED')) throw error;
          handle = await logIn(login);
          await refresh();
        }
      } catch (error) {
        // What is shown stays until the next time.
        if (!isTransient(error)) throw error;
        show(`Not refreshed: ${(error as Error).message}`);
      }
    }
  } finally {
    await logOut(login.serviceUrl, handle, show);
  }
}

/** Whether a failure may be over by the next time: there was no answer, or the answer says so. */
function isTransient(error: unknown): boolean {
  return error instanceof QueryError
    ? error.retryable
    : error instanceof TypeError || error instanceof SyntaxError;
}

/** A logout that fails must not hide the error that led to it: the session ends on its own. */
async function logOut(serviceUrl: string, handle: string, show: Dashboard['show']): Promise<void> {
  try {
    await ask(serviceUrl, 'mutation { logout { loggedOut } }', { handle });
    show('Logged out.');
  } catch (error) {
    show(`Not logged out: ${(error as Error).message}`);
  }
}

interface Page {
  readonly me: { readonly fullName: string };
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

interface Extensions {
  readonly code: string;
  readonly retryable?: boolean;
}

class QueryError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(message: string, { code, retryable = false }: Extensions) {
    super(`${code}: ${message}`);
    this.code = code;
    this.retryable = retryable;
  }
}

type Login = Pick<Dashboard, 'serviceUrl' | 'profile' | 'profileKey'>;

async function logIn({ serviceUrl, profile, profileKey }: Login): Promise<string> {
  const answer = await ask<{ login: { handle: string } }>(serviceUrl, LOGIN, {
    variables: { profile, profileKey },
  });
  return answer.login.handle;
}

async function ask<T>(
  serviceUrl: string,
  query: string,
  { handle, variables }: { handle?: string; variables?: object },
): Promise<T> {
  const response = await fetch(new URL('/graphql', serviceUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(handle && { authorization: `Bearer ${handle}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as {
    data: T;
    errors?: { message: string; extensions: Extensions }[];
  };
  if (errors?.[0]) throw new QueryError(errors[0].message, errors[0].extensions);
  return data;
}

async function demonstrate(): Promise<void> {
  const { createApp } = await import('portico-service');
  const { startEmbeddedPlatform } = await import('portico/embedded-platform');
  let time = Date.now();
  const platform = await startEmbeddedPlatform({ now: () => time });
  const folder = await mkdtemp(join(tmpdir(), 'portico-dashboard-'));
  const profileKey = randomBytes(32).toString('base64');
  const file = join(folder, 'profiles.yaml');
  await writeFile(join(folder, 'password'), 'demo');
  await writeFile(
    file,
    `profiles:
  dashboard:
    username: { store: env, name: DASHBOARD_USER }
    password: { store: file, path: ${join(folder, 'password')} }
    profileKeySha256: ${createHash('sha256').update(profileKey).digest('hex')}
`,
  );
  const app = await createApp({
    PLATFORM_BASE_URL: platform.baseUrl,
    CREDENTIALS_FILE: file,
    DASHBOARD_USER: 'short-session',
    SESSION_STORE_PATH: join(folder, 'sessions.db'),
    LOG_LEVEL: 'silent',
    AUDIT_LOG: 'off',
  });
  function* threeMinutes(): Generator<void> {
    for (let minute = 1; minute <= 3; minute += 1) {
      time += 60_000;
      console.log(`Minute ${minute}: the platform session has expired.`);
      yield;
    }
  }
  try {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const serviceUrl = await app.getUrl();
    const schedule = threeMinutes();
    await runDashboard({ serviceUrl, profile: 'dashboard', profileKey, schedule, show: console.log });
  } finally {
    await app.close();
    await platform.close();
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [serviceUrl, profile = '', seconds = '60'] = process.argv.slice(2);
  if (serviceUrl === undefined) {
    await demonstrate();
  } else {
    const profileKey = process.env.PROFILE_KEY ?? '';
    const schedule = every(Number(seconds) * 1000);
    await runDashboard({ serviceUrl, profile, profileKey, schedule, show: console.log });
  }
}
