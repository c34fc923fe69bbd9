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

type CodedErrorClass = new (message: string, facts?: PlatformErrorFacts) => PlatformError;

/** Spec, Errors: the classes by number, because the wire says `ERR014` where the spec says `ERR0014`. */
const CLASS_BY_NUMBER: ReadonlyMap<number, CodedErrorClass> = new Map<number, CodedErrorClass>([
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
const TRANSIENT_NUMBERS: ReadonlySet<number> = new Set([13, 16]);

/** The error class for a platform code; any other code is the base class. */
export function errorClassOf(code: string): CodedErrorClass {
  return CLASS_BY_NUMBER.get(codeNumber(code)) ?? PlatformError;
}

/** Whether a code reports a condition that goes away on its own. */
export function isTransientCode(code: string): boolean {
  return TRANSIENT_NUMBERS.has(codeNumber(code));
}

/** The number in `ERR<digits>`, regardless of padding; NaN for any other text. */
function codeNumber(code: string): number {
  return Number(/^ERR(\d{1,6})$/i.exec(code)?.[1] ?? NaN);
}
