import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { REASON_TABLE } from '../../src/errors/error-reasons.js';
import { isUnreachable, isPorticoError, porticoErrors, REASONS_OF_CODES } from '../../src/errors/index.js';

const error = (code: string, reason?: string): object => ({
  message: 'It failed',
  extensions: { code, ...(reason !== undefined && { reason }), retryable: false, requestId: 'id' },
});

describe('the errors as clients see them', () => {
  it('are in one table with those of the service', () => {
    expect(Object.keys(REASONS_OF_CODES)).toEqual(Object.keys(ERROR_CODES));
    for (const [code, reasons] of Object.entries(REASONS_OF_CODES)) {
      const expected = Object.entries(REASON_TABLE).filter(([, { codes }]) =>
        (codes as readonly string[]).includes(code),
      );
      expect(reasons).toEqual(expected.map(([reason]) => reason));
    }
  });

  it('are told from anything else', () => {
    expect(isPorticoError(error('UNAUTHENTICATED', 'NO_SESSION'))).toBe(true);
    expect(isPorticoError(error('UNAUTHENTICATED', 'A_NEWER_REASON'))).toBe(true);
    for (const other of [
      undefined,
      null,
      'UNAUTHENTICATED',
      new Error('no extensions'),
      error('SOMETHING'),
      error('constructor'),
      { extensions: { code: 'UNAUTHENTICATED', retryable: false } },
      { message: 'no retryable', extensions: { code: 'UNAUTHENTICATED' } },
    ]) {
      expect(isPorticoError(other)).toBe(false);
    }
  });

  it('are found wherever a client puts them', () => {
    const known = error('NOT_FOUND');
    const list = [known, { message: 'of a gateway' }];
    for (const thrown of [
      known,
      list,
      { errors: list },
      { graphQLErrors: list },
      { response: { errors: list } },
      { source: { errors: list } },
    ]) {
      expect(porticoErrors(thrown)).toEqual([known]);
    }
    for (const nothing of [
      undefined,
      null,
      'text',
      new Error('network'),
      { errors: 'text' },
      { response: null },
    ]) {
      expect(porticoErrors(nothing)).toEqual([]);
    }
  });

  it('can be imported where there is neither Node nor any package', () => {
    const seen = new Set(['./index.js']);
    for (const file of seen) {
      const source = readFileSync(
        new URL(`../../src/errors/${file.replace('.js', '.ts')}`, import.meta.url),
        'utf8',
      );
      for (const [, name] of source.matchAll(/^(?:import|export)\b[^;]* from '([^']+)'/gm))
        seen.add(String(name));
    }

    expect([...seen].sort()).toEqual([
      './client-table.js',
      './error-codes.js',
      './error-reasons.js',
      './index.js',
    ]);
  });
});

describe('isUnreachable', () => {
  const ERRORS = [
    { message: 'The session has expired', extensions: { code: 'UNAUTHENTICATED', retryable: false } },
  ];

  it.each([
    ['what fetch throws', new TypeError('Failed to fetch')],
    ['a time that is over', new DOMException('signal timed out', 'TimeoutError')],
    [
      'what urql says of the network',
      { message: '[Network] x', networkError: new TypeError('x'), graphQLErrors: [] },
    ],
    [
      'what Apollo Client throws for the page of a proxy',
      { message: 'Bad gateway', name: 'ServerError', statusCode: 502 },
    ],
  ])('is true for %s', (_what, thrown) => {
    expect(isUnreachable(thrown)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['an answer without errors', { data: { me: null } }],
    ['an answer with errors', { errors: ERRORS }],
    ['what urql throws for them', { message: '[GraphQL] x', graphQLErrors: ERRORS }],
    ['what graphql-request throws for them', { message: 'x', response: { errors: ERRORS } }],
    ['errors of another service of the graph', { message: 'x', errors: [{ message: 'y' }] }],
    ['a request that the page aborted', new DOMException('aborted', 'AbortError')],
    ['the same in urql', { message: '[Network] x', networkError: new DOMException('aborted', 'AbortError') }],
  ])('is false for %s', (_what, thrown) => {
    expect(isUnreachable(thrown)).toBe(false);
  });
});
