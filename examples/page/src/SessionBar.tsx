import { useEffect, useRef } from 'react';
import { useMutation, useQuery } from 'urql';
import { EXTEND, LOGOUT, ME, type Session } from './documents.js';
import { Trouble } from './Trouble.js';
import { useSecondsLeft } from './useSession.js';

const SOON_SECONDS = 120;

interface Props {
  session: Session;
  /** After a login: the form that had the focus is gone. */
  takesFocus: boolean;
  onChange: () => void;
  onEnd: () => void;
}

/** Who is logged in and for how long, with buttons to stay and to log out. */
export function SessionBar({ session, takesFocus, onChange, onEnd }: Props) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) bar.current?.focus();
  }, []);
  const [{ data, error: whoError }, askWho] = useQuery({ query: ME });
  const [{ fetching, error }, extend] = useMutation(EXTEND);
  const [, logout] = useMutation(LOGOUT);
  const seconds = useSecondsLeft(session);
  // Only the platform knows whether the session is over: another tab may have used it meanwhile.
  useEffect(() => {
    if (seconds === 0) {
      askWho({ requestPolicy: 'network-only' });
      onEnd();
    }
  }, [seconds === 0]);
  return (
    <header ref={bar} tabIndex={-1} aria-label="Your session">
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

function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
