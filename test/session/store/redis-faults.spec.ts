import { describe, expect, it } from 'vitest';
import { faultOfWord, inWords, redisFault } from '../../../src/session/store/redis-replies.js';
import { UnexpectedReplyError } from '../../../src/session/store/redis-socket.js';

const coded = (code: string, message = 'CANARY'): Error => Object.assign(new Error(message), { code });

describe('what is wrong with Redis', () => {
  it.each<[unknown, string]>([
    [new Error('OOM command not allowed'), 'OOM'],
    [new Error('@user_script: 1: -OOM command not allowed'), 'OOM'],
    [
      new Error(
        "ERR Error running script (call to f_1a): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
      ),
      'OOM',
    ],
    [new Error('ERR Error running script (call to f_1a): no such function'), 'ERR'],
    [new Error('WRONGTYPE CANARY: -OOM of a value'), 'WRONGTYPE'],
    [new Error('READONLY You can not write'), 'READONLY'],
    [new Error('Socket timeout. Expecting data'), 'it does not answer in time'],
    [new Error('connect ETIMEDOUT'), 'it does not answer in time'],
    [new Error('Unknown RESP type'), 'NOT_REDIS'],
    [new Error('Protocol error, got H'), 'NOT_REDIS'],
    ...[
      "Stream isn't writeable",
      'Connection is closed.',
      'Reached the max retries',
      'None of startup nodes',
      "Cluster isn't ready",
      'Failed to refresh slots cache.',
      'Cluster is ended',
      'Too many Cluster redirections',
      'Command aborted due to',
      'Node is ended',
      'All sentinels are unreachable',
    ].map((message): [Error, string] => [new Error(message), 'there is no connection']),
    [coded('ECONNREFUSED'), 'ECONNREFUSED'],
    [coded('not a code'), 'Redis refused a command'],
    [coded('xE'), 'Redis refused a command'],
    [coded('Ex'), 'Redis refused a command'],
    [new Error('GET CANARY: Socket timeout'), 'GET'],
    [new Error('canary: connect ETIMEDOUT'), 'Redis refused a command'],
    [new Error('A b'), 'Redis refused a command'],
    [new Error(`${'A'.repeat(33)} b`), 'Redis refused a command'],
    [new UnexpectedReplyError(), 'it gave an answer that nothing asked for'],
    [{ message: 1 }, 'unknown error'],
    [undefined, 'unknown error'],
    [null, 'unknown error'],
  ])('is told without what was sent to it: %s', (error, told) => {
    expect(redisFault(error)).toBe(told);
  });

  it.each([
    ['OOM', 'full'],
    ['READONLY', 'read_only'],
    ['NOREPLICAS', 'read_only'],
    ['MISCONF', 'read_only'],
    ['CLUSTERDOWN', 'unreachable'],
    ['WRONGTYPE', undefined],
  ])('is the fault of the store, or of one command: %s', (word, fault) => {
    expect(faultOfWord(word)).toBe(fault);
  });

  it.each([
    ['NOAUTH', 'it needs a password (NOAUTH)'],
    ['WRONGPASS', 'it refuses the user or the password (WRONGPASS)'],
    ['NOPERM', 'its user lacks permissions (docs/operations.md lists them) (NOPERM)'],
    ['ECONNREFUSED', 'nothing listens at that port (ECONNREFUSED)'],
    ['ENOTFOUND', 'its host name is not known (ENOTFOUND)'],
    ['EAI_AGAIN', 'its host name is not known (EAI_AGAIN)'],
    ['EPROTO', 'it does not speak TLS at that port: use redis://, or its TLS port (EPROTO)'],
    ['ERR_SSL_X', 'it does not speak TLS at that port: use redis://, or its TLS port (ERR_SSL_X)'],
    ['SILENT_TLS', 'it does not answer in TLS at that port: use redis://, or its TLS port (SILENT_TLS)'],
    ['CERT_HAS_EXPIRED', 'its certificate is not trusted, see REDIS_TLS_CA (CERT_HAS_EXPIRED)'],
    ['DEPTH_ZERO_SELF_SIGNED', 'its certificate is not trusted, see REDIS_TLS_CA (DEPTH_ZERO_SELF_SIGNED)'],
    ['ERR_TLS_X', 'its certificate is not trusted, see REDIS_TLS_CA (ERR_TLS_X)'],
    ['ECONNRESET', 'it closes each connection: a port with TLS needs rediss:// (ECONNRESET)'],
    ['NOT_REDIS', 'what answers at that port is not Redis (NOT_REDIS)'],
    ...['no NOAUTH', 'no WRONGPASS', 'no NOPERM', 'no ENOTFOUND', 'no EPROTO', 'no NOT_REDIS', 'OOM'].map(
      (same) => [same, same],
    ),
  ])('is told in words that say what to change, if there are some: %s', (reason, words) => {
    expect(inWords(reason)).toBe(words);
  });
});
