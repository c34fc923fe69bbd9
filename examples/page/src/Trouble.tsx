import type { CombinedError } from 'urql';
import { tellPerson } from './errors.js';

/** An error, in words for a person. */
export function Trouble({ error, onRetry }: { error: CombinedError; onRetry?: () => void }) {
  return (
    <p className="trouble" role="alert">
      {tellPerson(error)} {onRetry && <button onClick={onRetry}>Try again</button>}
    </p>
  );
}
