/**
 * A session that looks after itself: it resolves its credentials when it is opened, is extended while it is open, logs in
 * again when the platform has ended it, and is logged out at the end, whatever happens in between.
 *
 *   PLATFORM_PASSWORD=demo node examples/managed-session.ts [base URL] [user name]
 *
 * Without a base URL it starts the embedded platform and uses that, with the demo user.
 */
import {
  AuthenticatedPlatformSession,
  withPlatformSession,
  type AuthenticatedSessionOptions,
} from 'portico/client';
import { startEmbeddedPlatform } from 'portico/embedded-platform';

const [givenUrl, username = 'demo'] = process.argv.slice(2);
const embedded = givenUrl === undefined ? await startEmbeddedPlatform() : undefined;

const options: AuthenticatedSessionOptions = {
  baseUrl: givenUrl ?? embedded?.baseUrl ?? '',
  username,
  // A provider is called when the session is opened, and again before each new login.
  password: () => process.env.PLATFORM_PASSWORD ?? (embedded ? 'demo' : ''),
  keepAliveSeconds: 300,
  relogin: true,
};

try {
  const count = await withPlatformSession(options, async (session) => (await session.getProjects()).length);
  console.log(`${count} projects.`);

  await using session = await AuthenticatedPlatformSession.open(options);
  const user = await session.getUserInfo();
  console.log(`Logged in as ${user.fullName ?? 'somebody without a name'}.`);
} finally {
  await embedded?.close();
}
