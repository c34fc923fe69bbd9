import { describe, expect, it } from 'vitest';
import {
  areCounts,
  isCountAndTime,
  isCountOrNone,
  isEndOrTaken,
  isLeaseState,
  isListOfStrings,
  isOne,
  isPeekedOrNone,
  isSessionOrNone,
  isString,
  isSummaryOrNone,
  isTimeLeft,
} from '../../../src/session/store/redis-replies.js';

type Form = (answer: unknown) => boolean;

const FORMS: readonly [name: string, form: Form, fitting: readonly unknown[], others: readonly unknown[]][] =
  [
    [
      'the end of a new session',
      isEndOrTaken,
      [null, '0', '1700000000000'],
      [17, '', '1.5', 'x', '-1', ['1']],
    ],
    [
      'a session',
      isSessionOrNone,
      [null, ['1', '1700000000000', 'sealed'], ['12', '2', '']],
      [
        [1, '2', 'sealed'],
        ['1', 2, 'sealed'],
        ['1', '2', null],
        ['1', '2'],
        ['1', '2', 's', ''],
        ['x', '2', 's'],
        ['x1', '2', 's'],
        ['1x', '2', 's'],
        ['1', 'x2', 's'],
        ['1', '2x', 's'],
        's',
      ],
    ],
    [
      'a session that is only looked at',
      isPeekedOrNone,
      [null, ['1', '2', 'sealed', '3', ''], ['12', '23', 'sealed', '34', '17.60']],
      [
        ['1', '2', 'sealed', 3, ''],
        ['1', '2', 'sealed', '3', null],
        ['1', '2', 'sealed', '3', '17'],
        ['1', '2', 'sealed', '3', 'x17.60'],
        ['1', '2', 'sealed', '3', '17.60x'],
        ['x1', '2', 'sealed', '3', ''],
        ['1x', '2', 'sealed', '3', ''],
        ['1', 'x2', 'sealed', '3', ''],
        ['1', '2x', 'sealed', '3', ''],
        ['1', '2', 'sealed', 'x3', ''],
        ['1', '2', 'sealed', '3x', ''],
      ],
    ],
    [
      'the summary of a session',
      isSummaryOrNone,
      [null, ['12', 'sealed', '23']],
      [
        [1, 'sealed', '2'],
        ['1', 5, '2'],
        ['1', 'sealed', 2],
        ['1', 'sealed', 'x'],
        ['x1', 'sealed', '2'],
        ['1x', 'sealed', '2'],
        ['1', 'sealed', 'x2'],
        ['1', 'sealed', '2x'],
      ],
    ],
    ['whether something was there', isCountOrNone, [null, 0, 1], [2, -1, '1', [1]]],
    ['the state of a lease', isLeaseState, ['taken', 'held', 'settled'], ['', 'free', 1, null]],
    ['a confirmation', isOne, [1], [0, 2, '1', null, 'OK']],
    ['a list of texts', isListOfStrings, [[], ['a', 'b']], ['ab', null, [1], ['a', null], ['a', ['b']]]],
    ['a text', isString, ['', 'a'], [1, null, ['a']]],
    ['two counts', areCounts(2), [[0, 5]], [[1], [1, 2, 3], [1, -1], [1, 1.5], [1, '2'], '12', null]],
    ['a count and its time', isCountAndTime, [[0, 60_000]], [[1], [1, 2, 3], [1, -1], [1, '2'], '12', null]],
    ['the time that is left', isTimeLeft, [0, 60_000, -1, -2], [-3, 1.5, '5', null]],
  ];

describe.each(FORMS)('a reply of Redis to a script that gives %s', (_name, form, fitting, others) => {
  it.each(fitting.map((answer) => [answer]))('may be %j', (answer) => {
    expect(form(answer)).toBe(true);
  });

  it.each(others.map((answer) => [answer]))('is not believed if it is %j', (answer) => {
    expect(form(answer)).toBe(false);
  });
});
