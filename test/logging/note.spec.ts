import { describe, expect, it } from '@jest/globals';
import { Note } from '../../src/logging/note.js';

describe('a note on an object', () => {
  it('is read back, and may be changed', () => {
    const note = new Note<object, number>('count');
    const object = {};
    expect(note.get(object)).toBeUndefined();
    note.set(object, 1);
    note.set(object, 2);
    expect(note.get(object)).toBe(2);
  });

  it('is on that object alone, and apart from other notes', () => {
    const note = new Note<object, number>('count');
    const object = {};
    note.set(object, 1);
    expect(note.get({})).toBeUndefined();
    expect(new Note<object, number>('count').get(object)).toBeUndefined();
  });

  it('is left out where the object is listed or written as JSON', () => {
    const list = [1, 2];
    new Note<object, number>('count').set(list, 3);
    expect(Object.keys(list)).toEqual(['0', '1']);
    expect([...list]).toEqual([1, 2]);
    expect(JSON.stringify(list)).toBe('[1,2]');
  });
});
