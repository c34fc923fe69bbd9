import { storeUnavailable } from '../../errors/service-error.js';

/** The part of a connection that is used here. */
export interface Reconnecting {
  disconnect(reconnect: boolean): void;
}

/** Whether a reply has the form that its command returns. */
export type ReplyForm<T> = (reply: unknown) => reply is T;

/**
 * Checks the reply to a command. A reply of another form may belong to another command. From then on no reply on this
 * connection can be trusted, so the connection is dropped and opened again.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export function expectReply<T>(redis: Reconnecting, reply: unknown, hasForm: ReplyForm<T>): T {
  if (hasForm(reply)) return reply;
  redis.disconnect(true);
  throw storeUnavailable('it gave an answer that does not fit the request');
}

export function isEndOrTaken(reply: unknown): reply is string | null {
  return reply === null || (typeof reply === 'string' && /^\d+$/.test(reply));
}

export function isSessionOrNone(reply: unknown): reply is [string, string, string] | null {
  if (reply === null) return true;
  if (!Array.isArray(reply) || reply.length !== 3) return false;
  const [version, expiresAt, sealed] = reply as unknown[];
  return (
    [version, expiresAt].every((text) => typeof text === 'string' && /^\d+$/.test(text)) &&
    typeof sealed === 'string'
  );
}

export function isPeekedOrNone(reply: unknown): reply is [string, string, string, string] | null {
  if (reply === null) return true;
  if (!Array.isArray(reply) || reply.length !== 4) return false;
  const [version, expiresAt, sealed, idleExpiresAt] = reply as unknown[];
  return (
    isSessionOrNone([version, expiresAt, sealed]) &&
    typeof idleExpiresAt === 'string' &&
    /^\d+$/.test(idleExpiresAt)
  );
}

export function isUseOrNone(reply: unknown): reply is string | null {
  return reply === null || (typeof reply === 'string' && /^\d+\.\d+$/.test(reply));
}

export function isCountOrNone(reply: unknown): reply is number | null {
  return reply === null || reply === 0 || reply === 1;
}

export function isLeaseState(reply: unknown): reply is 'taken' | 'held' | 'settled' {
  return reply === 'taken' || reply === 'held' || reply === 'settled';
}

export function isOk(reply: unknown): reply is 'OK' {
  return reply === 'OK';
}

/** As many texts as there are patterns, each of its pattern or missing. */
export function areTextsOrNone(patterns: readonly RegExp[]): ReplyForm<(string | null)[]> {
  return (reply): reply is (string | null)[] =>
    Array.isArray(reply) &&
    reply.length === patterns.length &&
    patterns.every((pattern, index) => {
      const text: unknown = reply[index];
      return text === null || (typeof text === 'string' && pattern.test(text));
    });
}

/** A count, and the milliseconds until it ends. */
export function isCountAndTime(reply: unknown): reply is [number, number] {
  return (
    Array.isArray(reply) &&
    reply.length === 2 &&
    (reply as unknown[]).every((part) => Number.isSafeInteger(part) && (part as number) >= 0)
  );
}

/** The milliseconds that a key has left; negative if there is no such key. */
export function isTimeLeft(reply: unknown): reply is number {
  return Number.isSafeInteger(reply) && (reply as number) >= -2;
}
