import type { FormEvent } from 'react';
import { useMutation } from 'urql';
import { LOGIN } from './documents.js';
import { Trouble } from './Trouble.js';

/** @param hadSession whether there was a session until now, which was logged out or has ended. */
export function LoginForm({ hadSession, onLogin }: { hadSession: boolean; onLogin: () => void }) {
  const [{ fetching, error }, login] = useMutation(LOGIN);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [username, password] = [String(given.get('username')), String(given.get('password'))];
    // COOKIE is the default: the browser gets a cookie that no script can read, and this page never sees a token.
    const { data } = await login({ input: { username, password } });
    if (data) onLogin();
  };
  return (
    <main className="login">
      <h1>Reports</h1>
      <p>{hadSession ? 'You are logged out. Log in to continue.' : 'Log in to see your projects.'}</p>
      <form onSubmit={submit}>
        <label>
          User name
          <input name="username" autoComplete="username" required autoFocus />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" />
        </label>
        <button className="primary" disabled={fetching}>
          {fetching ? 'Logging in…' : 'Log in'}
        </button>
      </form>
      {error && <Trouble error={error} />}
    </main>
  );
}
