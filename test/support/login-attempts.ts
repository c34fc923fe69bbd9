import { type Party } from 'portico/internal';
import { type FailureRule } from '../../src/auth/attempt-queue.js';
import { LoginLimiter } from '../../src/auth/login-limits.service.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';

/** What counts as a failed login. */
export class Refused extends Error {}

export const limiter = (waitMs = 60_000, records = recordLoginsInProcess()): LoginLimiter =>
  new LoginLimiter(records, { waitMs, isFailure: (error) => error instanceof Refused });
export const rule = (
  failures: number,
  then: FailureRule['then'] = 'refuse',
  key = 'account',
): FailureRule => ({
  key,
  failures,
  then,
});
const present = new AbortController().signal;
export const attempt = <T>(
  limit: LoginLimiter,
  rules: FailureRule | FailureRule[],
  work: () => Promise<T>,
  {
    place,
    party = ['network', 'logins', 'account'],
    signal = present,
  }: { place?: string; party?: Party; signal?: AbortSignal } = {},
): Promise<T> => limit.attempt({ rules: [rules].flat(), place, party, signal }, work);
export const refuse = (): Promise<never> => Promise.reject(new Refused());
export const accept = (): Promise<string> => Promise.resolve('in');
