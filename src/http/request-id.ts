import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** Ids from callers are kept if they are safe in a log line and a header. */
const WELL_FORMED = /^[A-Za-z0-9._:-]{8,128}$/;

/** The caller's request id if it is well-formed, else a new one. */
export function requestId(header: string): (request: Pick<IncomingMessage, 'headers'>) => string {
  return ({ headers }) => {
    const given = headers[header];
    return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
  };
}
