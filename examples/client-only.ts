/**
 * The typed client on its own: log in, look up a project, save the session, continue from the saved session, log out.
 *
 *   node examples/client-only.ts [base URL] [user name] [password]
 *
 * Without a base URL it starts the embedded platform and uses that.
 */
import { LoginFailedError, PlatformClient } from 'portico/client';
import { startEmbeddedPlatform } from 'portico/embedded-platform';

const [givenUrl, username = 'demo', password = 'demo'] = process.argv.slice(2);
const embedded = givenUrl === undefined ? await startEmbeddedPlatform() : undefined;
const client = new PlatformClient({ baseUrl: givenUrl ?? embedded?.baseUrl ?? '' });

try {
  const session = client.openSession();
  await session.login({ username, password });

  const user = await session.getUserInfo();
  console.log(`Logged in as ${user.fullName ?? 'somebody without a name'}.`);

  await session.loadProjects();
  const [first] = await session.getProjects();
  if (first) console.log(`The id of "${first.name}" is ${session.getProjectId(first.name) ?? 'unknown'}.`);

  // As powerful as a password while the session lives: protect it like one.
  const kept = session.json();

  const later = client.restoreSession(kept);
  const { timeout } = await later.getSessionInfo();
  console.log(`The restored session ends after ${timeout ?? 'an unknown number of'} idle seconds.`);

  await later.logout();
  console.log('Logged out.');
} catch (error) {
  if (!(error instanceof LoginFailedError)) throw error;
  console.log(`The login failed: ${error.iserverMessage ?? error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
  await embedded?.close();
}
