import { InvalidRequestError } from 'portico/client';
import { type Place, ProjectOrder } from './project-order.js';

/** An index in the platform's list never has more digits than this. */
const INDEX = /^\d{1,6}$/;

/** The cursor of a place in an order: opaque to callers, and good for that order in every instance. */
export function cursorOf(order: ProjectOrder, { key, id }: Place): string {
  return Buffer.from(JSON.stringify([order, key, id])).toString('base64url');
}

/** @throws InvalidRequestError for anything that is not a cursor of this order. */
export function placeOf(cursor: string, order: ProjectOrder): Place {
  const parts = parse(cursor);
  const [of, key, id] = Array.isArray(parts) && parts.length === 3 ? (parts as unknown[]) : [];
  if (typeof key !== 'string' || typeof id !== 'string') {
    throw new InvalidRequestError('after must be a cursor of projectsConnection');
  }
  if (of !== order) throw new InvalidRequestError('after must be a cursor of the same orderBy');
  if (order === ProjectOrder.PLATFORM && !INDEX.test(key)) {
    throw new InvalidRequestError('after must be a cursor of projectsConnection');
  }
  return { key, id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
