import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GroupCommit } from '../../../src/session/store/group-commit.js';
import { commitsIn } from '../../support/session/commits-in.js';
import { tempFolder } from '../../support/temp-folder.js';

const NO_SPACE = 'database or disk is full';

describe('writes that share a commit', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let database: DatabaseSync;
  let group: GroupCommit;
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/some.db`;
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (name TEXT PRIMARY KEY, text TEXT) STRICT');
    group = new GroupCommit(database);
  });
  afterEach(async () => {
    database.close();
    await folder.remove();
  });

  const insert = (name: string, text = ''): Promise<unknown> =>
    group.write(name, () => database.prepare('INSERT INTO one VALUES (?, ?)').run(name, text).changes);
  const namesIn = (file: string): unknown[] => {
    const other = new DatabaseSync(file);
    const rows = other.prepare('SELECT name FROM one ORDER BY rowid').all();
    other.close();
    return rows.map(({ name }) => name);
  };
  const outcomes = async (writes: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(writes)).map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as Error).message,
    );

  it('are one commit, however many they are', async () => {
    const before = await commitsIn(path);
    await Promise.all(Array.from({ length: 100 }, (_, n) => insert(`row ${n}`)));
    expect((await commitsIn(path)) - before).toBe(1);
    expect(namesIn(path)).toHaveLength(100);
  });

  describe('that keep arriving', () => {
    let now = 0;
    const inEachTurn = async (turns: number, passed: () => void): Promise<void> => {
      const writes = [insert('first')];
      for (let turn = 0; turn < turns; turn += 1) {
        writes.push(insert(`turn ${turn}`));
        passed();
        await nextTurn();
      }
      await Promise.all(writes);
    };
    beforeEach(() => {
      group = new GroupCommit(database, {}, () => now);
    });

    it('wait for each other, and are one commit', async () => {
      const before = await commitsIn(path);
      await inEachTurn(8, () => undefined);
      expect((await commitsIn(path)) - before).toBe(1);
      expect(namesIn(path)).toHaveLength(9);
    });

    it('wait for 10 ms and no longer', async () => {
      const seen: number[] = [];
      await inEachTurn(4, () => {
        now += 5;
        seen.push(namesIn(path).length);
      });
      expect(seen).toEqual([0, 0, 3, 4]);
    });
  });

  describe('that wait for the disk', () => {
    let confirmed: PromiseWithResolvers<undefined>[];
    beforeEach(() => {
      confirmed = [];
      group = new GroupCommit(database, {
        sync: () => {
          const disk = Promise.withResolvers<undefined>();
          confirmed.push(disk);
          return disk.promise;
        },
      });
    });

    it('are answered when it has them, and seen by who reads before', async () => {
      const answered: string[] = [];
      const write = insert('first').then(() => answered.push('first'));
      await nextTurn();
      expect(namesIn(path)).toEqual(['first']);
      expect(answered).toEqual([]);
      confirmed[0]?.resolve(undefined);
      await write;
      expect(answered).toEqual(['first']);
    });

    it('have those that arrive meanwhile share the next commit', async () => {
      const first = insert('first');
      await nextTurn();
      const before = await commitsIn(path);
      const others: Promise<unknown>[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        others.push(insert(`turn ${turn}`));
        await nextTurn();
      }
      expect(namesIn(path)).toEqual(['first']);

      confirmed[0]?.resolve(undefined);
      await first;
      await nextTurn();
      expect(namesIn(path)).toHaveLength(6);
      expect((await commitsIn(path)) - before).toBe(1);
      confirmed[1]?.resolve(undefined);
      await Promise.all(others);
    });

    it('are on the disk only with a wait that began after their commit', async () => {
      const first = insert('first');
      await nextTurn();
      const second = insert('second');
      group.flush();
      expect(namesIn(path)).toEqual(['first', 'second']);
      confirmed[0]?.resolve(undefined);
      await first;
      await nextTurn();
      expect(confirmed).toHaveLength(2);
      confirmed[1]?.resolve(undefined);
      await second;
    });

    it('fail when it fails, and those after them do not', async () => {
      const first = outcomes([insert('first')]);
      await nextTurn();
      const second = insert('second');
      confirmed[0]?.reject(new Error('the disk is gone'));
      expect(await first).toEqual(['the disk is gone']);
      await nextTurn();
      confirmed[1]?.resolve(undefined);
      expect(await second).toBe(1);
    });

    it('wait for each other also behind a commit that the disk confirms', async () => {
      const first = insert('first');
      await nextTurn();
      const before = await commitsIn(path);
      const second = insert('second');
      confirmed[0]?.resolve(undefined);
      await first;
      const third = insert('third');
      await nextTurn();
      await nextTurn();
      expect((await commitsIn(path)) - before).toBe(1);
      confirmed[1]?.resolve(undefined);
      expect(await Promise.all([second, third])).toEqual([1, 1]);
    });

    it('are answered before the group has settled, also those that arrived meanwhile', async () => {
      const answered: string[] = [];
      const writeDown = (name: string) => insert(name).then(() => answered.push(name));
      const first = writeDown('first');
      const settled = group.settle().then(() => answered.push('settled'));
      const second = writeDown('second');
      confirmed[0]?.resolve(undefined);
      await first;
      await nextTurn();
      confirmed[1]?.resolve(undefined);
      await Promise.all([second, settled]);
      expect(answered).toEqual(['first', 'second', 'settled']);
    });

    it('are all answered before the group has settled', async () => {
      const answered: string[] = [];
      const all = ['a', 'b'].map((name) => insert(name).then(() => answered.push(name)));
      const settled = group.settle().then(() => answered.push('settled'));
      confirmed[0]?.resolve(undefined);
      await Promise.all([...all, settled]);
      expect(answered).toEqual(['a', 'b', 'settled']);
    });
  });

  it('are on disk when they are answered, and not seen in part before', async () => {
    let seenWithin: unknown[] | undefined;
    const first = insert('first').then(() => namesIn(path));
    const second = group.write('second', () => {
      seenWithin = namesIn(path);
    });
    expect(await first).toEqual(['first']);
    await second;
    expect(seenWithin).toEqual([]);
  });

  it('are all there or not at all when the process is lost', async () => {
    const copyTo = (copy: string): void => {
      for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${folder.path}/${copy}${end}`);
    };
    const all = [insert('a'), insert('b')];
    const last = group.write('c', () => {
      copyTo('within.db');
    });
    await Promise.all([...all, last]);
    copyTo('answered.db');
    expect(namesIn(`${folder.path}/within.db`)).toEqual([]);
    expect(namesIn(`${folder.path}/answered.db`)).toEqual(['a', 'b']);
  });

  it('are done in the order in which they came', async () => {
    const update = (text: string): Promise<unknown> =>
      group.write('row', () => {
        database.prepare('UPDATE one SET text = text || ? WHERE name = ?').run(text, 'row');
        return database.prepare('SELECT text FROM one').get()?.text;
      });
    const all = [insert('row', 'a'), update('b'), update('c')];
    expect(await Promise.all(all)).toEqual([1, 'ab', 'abc']);
  });

  it('fail alone: one that cannot be done takes no other with it', async () => {
    await insert('taken');
    const all = [insert('a'), insert('taken'), insert('b'), insert('a')];
    expect(await outcomes(all)).toEqual([
      'done',
      expect.stringContaining('UNIQUE'),
      'done',
      expect.stringContaining('UNIQUE'),
    ]);
    expect(namesIn(path)).toEqual(['taken', 'a', 'b']);
  });

  it('are tried once if there is but one, and twice if it failed together with others', async () => {
    const runs = { alone: 0, a: 0, b: 0 };
    const failing = (name: keyof typeof runs): Promise<unknown> =>
      group.write(name, () => {
        runs[name] += 1;
        throw new Error(name);
      });
    expect(await outcomes([failing('alone')])).toEqual(['alone']);
    expect(await outcomes([failing('a'), failing('b')])).toEqual(['a', 'b']);
    expect(runs).toEqual({ alone: 1, a: 2, b: 1 });
  });

  it('all fail, and are not done again, when what comes after their commit fails', async () => {
    group = new GroupCommit(database, {
      committed: () => {
        throw new Error('the file is gone');
      },
    });
    let runs = 0;
    const counted = group.write('c', () => {
      runs += 1;
    });
    expect(await outcomes([insert('a'), insert('b'), counted])).toEqual(Array(3).fill('the file is gone'));
    expect([namesIn(path), runs]).toEqual([['a', 'b'], 1]);
  });

  it('come before work that is done now', async () => {
    const waiting = insert('a');
    let seen: unknown;
    group.writeNow(() => {
      seen = database.prepare('SELECT name FROM one').all();
    });
    expect(seen).toEqual([{ name: 'a' }]);
    await waiting;
  });

  it('fail alone when the disk is full, and go on where there is enough', async () => {
    database.exec('PRAGMA max_page_count = 8');
    const all = [insert('small'), insert('large', 'x'.repeat(100_000)), insert('small too')];
    expect(await outcomes(all)).toEqual(['done', NO_SPACE, 'done']);
    expect(database.isTransaction).toBe(false);
    expect(namesIn(path)).toEqual(['small', 'small too']);
  });

  it('are not confirmed by a commit that fails', async () => {
    database.exec(`
      PRAGMA foreign_keys = ON;
      CREATE TABLE child (name TEXT REFERENCES one (name) DEFERRABLE INITIALLY DEFERRED) STRICT;
    `);
    const orphan = group.write('orphan', () => database.prepare("INSERT INTO child VALUES ('nobody')").run());
    expect(await outcomes([insert('a'), orphan, insert('b')])).toEqual([
      'done',
      expect.stringContaining('FOREIGN KEY'),
      'done',
    ]);
    expect(namesIn(path)).toEqual(['a', 'b']);
  });

  it('are not lost when another process holds the file for a moment', async () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(await outcomes([insert('a'), insert('b')])).toEqual(['database is locked', 'database is locked']);
    other.exec('ROLLBACK');
    other.close();
    expect(await outcomes([insert('a'), insert('b')])).toEqual(['done', 'done']);
  });

  it('are done at once when what they write is needed', async () => {
    const all = [insert('a'), insert('b')];
    expect([group.keys.has('b'), group.keys.has('c')]).toEqual([true, false]);
    expect(namesIn(path)).toEqual([]);
    group.flush();
    expect(group.keys.size).toBe(0);
    expect(namesIn(path)).toEqual(['a', 'b']);
    await Promise.all(all);
  });
});
