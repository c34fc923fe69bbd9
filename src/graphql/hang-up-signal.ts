import { Note } from '../logging/note.js';

/** The part of an answer's stream that shows whether the caller has hung up. */
export interface AnswerStream {
  readonly destroyed: boolean;
  /** Whether all of the answer has been handed to the operating system. */
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

const signals = new Note<AnswerStream, AbortSignal>('hang-up signal');

/** Aborts when the connection of a request is closed before its answer has been sent. Made when something can be aborted. */
export function hangUpSignal(answer: AnswerStream): AbortSignal {
  const made = signals.get(answer);
  if (made !== undefined) return made;
  const controller = new AbortController();
  signals.set(answer, controller.signal);
  if (answer.destroyed) controller.abort();
  else {
    answer.once('close', () => {
      if (!answer.writableFinished) controller.abort();
    });
  }
  return controller.signal;
}
