import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { type HttpOutcome, recordHttpOutcomes } from './http-outcomes.js';
import { reasonOfStatus } from './http-failure.js';

/** Where SDKs look for the metadata of a cloud machine by default. No answer there means that this is not such a machine. */
const DISCOVERED = [
  '169.254.169.254',
  '[fd00:ec2::254]',
  'fd00:ec2::254',
  'metadata.google.internal',
  'metadata.google.internal.',
];

/**
 * Lets an SDK find its own login. The error of its chain of attempts says only that none worked, so the reason is taken from
 * the answer of the login endpoint: a failure may be temporary; without an endpoint, a login must be set up.
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

/** What the answer of a login endpoint without a login means; undefined if no endpoint was asked. */
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

/** For an SDK that does not use `node:http` but has the status in its error. */
function ownOutcome(error: unknown): HttpOutcome | undefined {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? { host: '', status } : undefined;
}
