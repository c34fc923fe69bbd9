import { useMemo, useState } from 'react';
import { Provider } from 'urql';
import { porticoClient } from './client.js';
import { LoginForm } from './LoginForm.js';
import { Projects } from './Projects.js';
import { SessionBar } from './SessionBar.js';
import { Trouble } from './Trouble.js';
import { useSession } from './useSession.js';

export function App() {
  const [losses, setLosses] = useState(0);
  const client = useMemo(() => porticoClient(() => setLosses((count) => count + 1)), []);
  return (
    <Provider value={client}>
      <Page losses={losses} />
    </Provider>
  );
}

/** @param losses how often an answer has said that there is no session. */
function Page({ losses }: { losses: number }) {
  const { session, error, refresh, changed } = useSession();
  const [seenLosses, setSeenLosses] = useState(losses);
  const [hadSession, setHadSession] = useState(false);
  const [cameFromLogin, setCameFromLogin] = useState(false);
  if (session && !hadSession) setHadSession(true);
  if (losses !== seenLosses) {
    setSeenLosses(losses);
    refresh();
  }
  if (session === undefined)
    return <main>{error ? <Trouble error={error} onRetry={refresh} /> : <p>Loading…</p>}</main>;
  if (session === null) {
    const loggedIn = () => {
      setCameFromLogin(true);
      changed();
    };
    return <LoginForm hadSession={hadSession} onLogin={loggedIn} />;
  }
  return (
    <>
      <SessionBar session={session} takesFocus={cameFromLogin} onChange={changed} onEnd={refresh} />
      {/* What was shown to one session is not shown to the next. */}
      <Projects key={session.startedAt} />
    </>
  );
}
