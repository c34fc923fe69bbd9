import { type PlatformClient, PlatformError, type PlatformSession } from 'portico/client';
import { type Environment } from '../config/environment.js';
import { type Settings } from '../config/settings.js';
import { CredentialError, CredentialProfiles } from 'portico/credentials';
import { adviceFor } from '../platform/advice.js';
import { type Finding } from './finding.js';

/** How the doctor logs in. */
export type DoctorLogin =
  { readonly profile: string } | { readonly username: string; readonly password: string };

/** Logs in, counts the projects, and logs out. */
export async function lookAtLogin(
  client: PlatformClient,
  settings: Settings,
  environment: Environment,
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  if (login === undefined) {
    const found = 'not tried: give --profile or --username';
    return [{ what: 'login', state: 'skipped', found }];
  }
  const session = client.openSession();
  try {
    const refusal = await logIn(session, settings, environment, login);
    if (refusal !== undefined) return [refusal];
    const projects = await session.getProjects();
    const many = `${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`;
    return [
      {
        what: 'login',
        state: 'right',
        found: `works, with the headers X-${settings.PLATFORM_HEADER_VENDOR}-…`,
      },
      { what: 'projects', state: projects.length > 0 ? 'right' : 'warning', found: `the user sees ${many}` },
    ];
  } catch (error) {
    return [failure(error, settings)];
  } finally {
    await session.logout().catch(() => undefined);
  }
}

async function logIn(
  session: PlatformSession,
  settings: Settings,
  environment: Environment,
  login: DoctorLogin,
): Promise<Finding | undefined> {
  if (!('profile' in login)) {
    await session.login(login);
    return undefined;
  }
  const { CREDENTIALS_FILE: file } = settings;
  if (file === undefined)
    return noProfile('there are no profiles', 'CREDENTIALS_FILE: set it to the file of the profiles');
  const profiles = await CredentialProfiles.open(file, { environment, onProblem: () => undefined });
  try {
    const logInByProfile = profiles.loginOf(login.profile);
    if (logInByProfile === undefined) {
      const names = profiles.names.join(', ');
      return noProfile('there is no such profile', `--profile: one of ${names}`);
    }
    await logInByProfile(session);
    return undefined;
  } finally {
    profiles.close();
  }
}

function noProfile(found: string, fix: string): Finding {
  return { what: 'login', state: 'wrong', found, fix };
}

function failure(error: unknown, settings: Settings): Finding {
  const what = 'login';
  if (error instanceof CredentialError) {
    return {
      what,
      state: 'wrong',
      found: error.message,
      fix: 'CREDENTIALS_FILE: check the profile and its store',
    };
  }
  if (!(error instanceof PlatformError)) throw error;
  const advice = adviceFor(error, settings);
  if (advice !== undefined) return { what, state: 'wrong', ...advice };
  const code = error.code === 'N/A' ? '' : ` (${error.code})`;
  return error.kind === 'login-failed'
    ? {
        what,
        state: 'wrong',
        found: `the platform refused the credentials${code}`,
        fix: 'the credentials, or the login mode of this user',
      }
    : {
        what,
        state: 'wrong',
        found: `the platform failed: ${error.kind}${code}`,
        fix: 'the platform itself: see its log',
      };
}
