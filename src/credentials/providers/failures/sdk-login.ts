import {
  CredentialError,
  type CredentialReason,
  type SecretOrigin,
} from '../../../errors/credential-error.js';
import { type HttpOutcome, recordHttpOutcomes } from './http-outcomes.js';
import { reasonOfStatus } from './http-failure.js';

/** Where SDKs look for a cloud machine's metadata without being told to. No answer there means: not such a machine. */
const DISCOVERED = [
  '169.254.169.254',
  '[fd00:ec2::254]',
  'fd00:ec2::254',
  'metadata.google.internal',
  'metadata.google.internal.',
];

/**
 * Has an SDK find its own login. The error of its chain of attempts says only that none worked, so the reason is read
 * from what the login's endpoint answered: if it failed, that may pass; if it is not there, a login must be set up.
 *
 * @throws CredentialError instead of any error of the SDK
 */
export async function sdkLogin<T>(origin: SecretOrigin, find: () => Promise<T>): Promise<T> {
  const outcomes: HttpOutcome[] = [];
  try {
    return await recordHttpOutcomes(outcomes, find);
  } catch (error) {
    const last = outcomes.at(-1) ?? ownOutcome(error);
    const reason = reasonOfLogin(last);
    const detail = reason === 'NOT_CONFIGURED' ? undefined : detailOf(last);
    throw new CredentialError(origin, reason, detail);
  }
}

/** What the answer of a login endpoint means that gave no login; without any, none was asked. */
export function reasonOfLogin(outcome: HttpOutcome | undefined): CredentialReason {
  if (outcome === undefined) return 'NOT_CONFIGURED';
  const { host, status } = outcome;
  if (status === undefined) return DISCOVERED.includes(host) ? 'NOT_CONFIGURED' : 'UNREACHABLE';
  return status === 404 ? 'NOT_CONFIGURED' : reasonOfStatus(status);
}

function detailOf(outcome: HttpOutcome | undefined): string {
  const answer = outcome?.status === undefined ? 'did not answer' : `answered with HTTP ${outcome.status}`;
  return `no login for the store: the login endpoint ${answer}`;
}

/** For an SDK that makes its requests by other means, but has the status in its error. */
function ownOutcome(error: unknown): HttpOutcome | undefined {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? { host: '', status } : undefined;
}
