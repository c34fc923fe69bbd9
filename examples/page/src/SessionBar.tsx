import { useEffect } from 'react';
import { useMutation, useQuery } from 'urql';
import { EXTEND, LOGOUT, ME, type Session } from './documents.js';
import { Trouble } from './Trouble.js';
import { useSecondsUntil } from './useSession.js';

const SOON_SECONDS = 120;

interface Props {
  session: Session;
  onChange: () => void;
  onEnd: () => void;
}

/** Who is logged in and for how long, with buttons to stay and to log out. */
export function SessionBar({ session, onChange, onEnd }: Props) {
  const [{ data, error: whoError }, askWho] = useQuery({ query: ME });
  const [{ fetching, error }, extend] = useMutation(EXTEND);
  const [, logout] = useMutation(LOGOUT);
  const end = endOf(session);
  const seconds = useSecondsUntil(end);
  // Only the platform knows whether the session is over: another tab may have used it meanwhile.
  useEffect(() => {
    if (seconds === 0) {
      askWho({ requestPolicy: 'network-only' });
      onEnd();
    }
  }, [seconds === 0, end]);
  return (
    <header>
      <h1>Reports</h1>
      <span className="who">{data?.me?.fullName ?? (whoError ? 'Logged in' : '…')}</span>
      <span
        className={seconds <= SOON_SECONDS ? 'clock soon' : 'clock'}
        role="timer"
        aria-label="Your session ends in"
      >
        {minutesAndSeconds(seconds)}
      </span>
      <button disabled={fetching} onClick={() => extend({}).then(onChange)}>
        Stay logged in
      </button>
      <button onClick={() => logout({}).then(onChange)}>Log out</button>
      {error && <Trouble error={error} />}
    </header>
  );
}

/** The earliest time at which the session may end. */
function endOf({ expiresAt, idleExpiresAt, platformExpiresAt }: Session): number {
  return Math.min(
    ...[expiresAt, idleExpiresAt, platformExpiresAt].flatMap((time) => (time ? [Date.parse(time)] : [])),
  );
}

function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
