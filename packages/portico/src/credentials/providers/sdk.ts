import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { reasonOfStatus } from './failure-reasons.js';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type * as Http from 'node:http';

/**
 * Imports a store's SDK, an optional package, when a secret is first needed.
 *
 * @throws CredentialError `MISSING_SDK`, naming the package to install
 */
export async function loadSdk<T>(
  origin: SecretOrigin,
  packageName: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch {
    const detail = `the package ${packageName} cannot be loaded; add it with: npm install ${packageName}`;
    throw new CredentialError(origin, 'MISSING_SDK', detail);
  }
}

/**
 * Where SDKs look for the metadata of a cloud machine by default. No answer there means that this is not such a
 * machine.
 */
const DISCOVERED = [
  '169.254.169.254',
  '[fd00:ec2::254]',
  'fd00:ec2::254',
  'metadata.google.internal',
  'metadata.google.internal.',
];

/**
 * Lets an SDK find its own login. The error of its chain of attempts says only that none worked, so the reason is
 * taken from the answer of the login endpoint: a failure may be temporary; without an endpoint, a login must be set
 * up.
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

// Only a type, so no import remains: importing this module for real makes Node load its own HTTP client.

/** How one HTTP request ended: with a status, or without an answer. */
export interface HttpOutcome {
  readonly host: string;
  readonly status?: number;
}

interface Message {
  readonly request: Http.ClientRequest;
  readonly response?: Http.IncomingMessage;
}

const work = new AsyncLocalStorage<HttpOutcome[]>();

/**
 * Runs work and records how the HTTP requests that it makes with `node:http` end, through Node's own diagnostics
 * channels. Only host and status are kept.
 *
 * @param outcomes - filled in the order in which the requests end
 */
export async function recordHttpOutcomes<T>(outcomes: HttpOutcome[], run: () => Promise<T>): Promise<T> {
  const made = new WeakSet<Http.ClientRequest>();
  const listeners: Readonly<Record<string, (message: Message) => void>> = {
    'http.client.request.created': ({ request }) => {
      if (work.getStore() === outcomes) made.add(request);
    },
    'http.client.response.finish': ({ request, response }) => {
      if (made.has(request)) outcomes.push({ host: request.host, status: response?.statusCode ?? 0 });
    },
    'http.client.request.error': ({ request }) => {
      if (made.has(request)) outcomes.push({ host: request.host });
    },
  };
  const subscriptions = Object.entries(listeners).map(
    ([channel, listener]) =>
      [
        channel,
        (message: unknown) => {
          listener(message as Message);
        },
      ] as const,
  );
  for (const [channel, listener] of subscriptions) subscribe(channel, listener);
  try {
    return await work.run(outcomes, run);
  } finally {
    for (const [channel, listener] of subscriptions) unsubscribe(channel, listener);
  }
}
