import { PlatformError, type PlatformErrorFacts } from './platform-error.js';
import {
  BackendServerError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  LoginFailedError,
  ObjectAlreadyExistsError,
  ResourceNotFoundError,
  SessionError,
} from './error-classes.js';

type CodedErrorKind = new (message: string, facts?: PlatformErrorFacts) => PlatformError;

/** Spec, Errors: the kinds by number, since the wire says `ERR014` where the spec says `ERR0014`. */
const KIND_BY_NUMBER: ReadonlyMap<number, CodedErrorKind> = new Map<number, CodedErrorKind>([
  [2, BackendServerError],
  [3, LoginFailedError],
  [4, ResourceNotFoundError],
  [5, InvalidRequestError],
  [6, InvalidRequestError],
  [7, InvalidRequestError],
  [9, SessionError],
  [13, BackendServerError],
  [14, InsufficientPrivilegesError],
  [15, ObjectAlreadyExistsError],
  [17, InsufficientPrivilegesError],
]);

/** 13: the back-end server cannot be reached; 16: the service is unavailable. */
const PASSING_CONDITIONS: ReadonlySet<number> = new Set([13, 16]);

/** Number of the code of an expired or invalid session. */
export const SESSION_INVALID = 9;

/** The number in `ERR<digits>`, whatever its padding; undefined for any other text. */
export function codeNumber(code: string): number | undefined {
  const digits = /^ERR(\d{1,6})$/i.exec(code)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The kind of error that a platform code stands for; any other code is the base error. */
export function kindOfCode(code: string): CodedErrorKind {
  return KIND_BY_NUMBER.get(codeNumber(code) ?? NaN) ?? PlatformError;
}

/** Whether a code names a condition that passes by itself. */
export function isPassingCode(code: string): boolean {
  return PASSING_CONDITIONS.has(codeNumber(code) ?? NaN);
}
