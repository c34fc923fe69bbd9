import { readFile } from 'node:fs/promises';

export interface TextWatch {
  /** The text that is known already. */
  readonly seen: string;
  /** Milliseconds between two reads. */
  readonly intervalMs: number;
  /** Called with each new text, once two reads have found the same: a half-written file does not count. */
  readonly onText: (text: string) => void;
  /** Called when the file can no longer be read, with the system's code. */
  readonly onUnreadable: (code: string) => void;
}

/**
 * Watches a file by reading it: that works where file events are missed, such as with mounted secrets, whose links
 * are replaced, and on network disks.
 *
 * @returns a function that ends the watch
 */
export function watchText(path: string, watch: TextWatch): () => void {
  let taken: Look = { text: watch.seen };
  let last: Look = taken;
  let looking = false;
  let ended = false;

  const take = (found: Look): void => {
    taken = found;
    if ('text' in found) watch.onText(found.text);
    else watch.onUnreadable(found.code);
  };

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look(path).then((found) => {
      looking = false;
      const settled = same(found, last);
      last = found;
      if (settled && !same(found, taken) && !ended) take(found);
    });
  }, watch.intervalMs);
  timer.unref();

  return () => {
    ended = true;
    clearInterval(timer);
  };
}

type Look = { readonly text: string } | { readonly code: string };

/** Reads a file as it is now. */
export async function look(path: string): Promise<Look> {
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
  }
}

function same(one: Look, other: Look): boolean {
  return 'text' in one
    ? 'text' in other && one.text === other.text
    : 'code' in other && one.code === other.code;
}
