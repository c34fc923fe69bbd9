import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AnswerTurns, type Turn } from '../../src/load/answer-turns.js';

async function iterations(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await nextIteration();
}

/** Asks for a turn and notes when it begins. */
function asking(turns: AnswerTurns): {
  begun: string[];
  turn: Map<string, Turn>;
  ask: (caller: string, gone?: AbortSignal) => void;
} {
  const begun: string[] = [];
  const turn = new Map<string, Turn>();
  let number = 0;
  return {
    begun,
    turn,
    ask: (caller, gone = new AbortController().signal) => {
      const name = `${caller}${(number += 1)}`;
      void turns.take([caller], gone).then((given) => {
        if (given === undefined) return;
        begun.push(name);
        turn.set(name, given);
      });
    },
  };
}

describe('the turns of large answers', () => {
  it('start one per iteration of the event loop, so that others are served in between', async () => {
    const { begun, ask } = asking(new AnswerTurns());
    for (const caller of ['a', 'b', 'c']) ask(caller);
    const counts: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      await nextIteration();
      counts.push(begun.length);
    }
    expect(counts.every((count, index) => count - (counts[index - 1] ?? 0) <= 1)).toBe(true);
    expect(begun).toEqual(['a1', 'b2', 'c3']);
  });

  it('begin one after the other while one of them has many megabytes', async () => {
    const { begun, turn, ask } = asking(new AnswerTurns());
    ask('a');
    await iterations(5);
    turn.get('a1')?.hold(8 * 1024 * 1024);
    for (const caller of ['b', 'c']) ask(caller);
    await iterations(20);
    expect(begun).toEqual(['a1']);

    turn.get('a1')?.hold(2 * 1024 * 1024);
    turn.get('a1')?.end();
    turn.get('a1')?.hold(8 * 1024 * 1024);
    await iterations(20);
    expect(begun).toEqual(['a1', 'b2', 'c3']);
  });

  it('are given to three answers at once, two of one session, and first to sessions that have none', async () => {
    const { begun, turn, ask } = asking(new AnswerTurns());
    for (const caller of ['a', 'a', 'a', 'b']) ask(caller);
    await iterations(20);
    expect(begun).toEqual(['a1', 'b4', 'a2']);
    for (const caller of ['b', 'c']) ask(caller);
    await iterations(20);
    expect(begun.slice(3)).toEqual([]);
    turn.get('b4')?.end();
    turn.get('b4')?.end();
    await iterations(5);
    expect(begun.slice(3)).toEqual(['b5']);
    turn.get('a1')?.end();
    await iterations(5);
    expect(begun.slice(4)).toEqual(['c6']);
  });

  it('wait while there is no room, but one may always start', async () => {
    let hasRoom = false;
    const turns = new AnswerTurns(() => hasRoom);
    const { begun, turn, ask } = asking(turns);
    for (const caller of ['a', 'b', 'c']) ask(caller);
    await iterations(5);
    expect(begun).toEqual(['a1']);
    turn.get('a1')?.end();
    await iterations(5);
    expect(begun).toEqual(['a1', 'b2']);
    hasRoom = true;
    turns.schedule();
    await iterations(5);
    expect(begun).toEqual(['a1', 'b2', 'c3']);
  });

  it('are not given to a caller who has hung up, who leaves the line at once', async () => {
    const { begun, turn, ask } = asking(new AnswerTurns());
    const leaver = new AbortController();
    ask('a');
    ask('a');
    for (let count = 0; count < 100; count += 1) ask('a', leaver.signal);
    ask('b', AbortSignal.abort());
    await iterations(10);
    leaver.abort();
    ask('a');
    turn.get('a1')?.end();
    await iterations(5);
    expect(begun).toEqual(['a1', 'a2', 'a104']);
  });
});
