import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
// Only a type, so no import remains: importing this module for real makes Node load its own HTTP client.
import type * as Http from 'node:http';

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
 * Runs work and records how the HTTP requests that it makes with `node:http` end, through Node's own diagnostics channels.
 * Only host and status are kept.
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
