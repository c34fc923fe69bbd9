import { type FastifyInstance } from 'fastify';
import { type Caller, callerReader } from './caller.js';
import { requireOneTarget } from './target.js';
import { UnclearHeaderError } from './unclear-header-error.js';
import { sendErrorAnswer } from './error-answer.js';
import { isProbe } from './probes.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Who may be called, and by which proxies. */
export interface CallerRules {
  /** The header of the bearer handle. */
  readonly sessionHeader: string;
  /** The host names by which the service may be called; empty for any. */
  readonly allowedHosts: readonly string[];
  /** Whether any proxy is trusted. */
  readonly trustsProxies: boolean;
}

/** The host of HTTP/1.0 requests, which may omit `Host`. */
const NO_HOST = 'host.invalid';
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];

/** Reads the caller of each request, and refuses requests whose headers can be read in two ways. */
export function readCallers(server: FastifyInstance, rules: CallerRules): void {
  const { sessionHeader, allowedHosts, trustsProxies } = rules;
  const read = callerReader(sessionHeader);
  let hasWarned = trustsProxies;
  // Set by the hook below before anything reads it.
  server.decorateRequest('caller');
  server.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    if (raw.httpVersion === '1.0') raw.headers.host ??= NO_HOST;
    if (!hasWarned && FORWARDED.some((name) => headers[name] !== undefined)) {
      hasWarned = true;
      server.log.warn(
        'A request came with X-Forwarded-* headers, but TRUSTED_PROXIES is not set: they are ignored, and callers count by the address of the last proxy',
      );
    }
    try {
      request.caller = read(request);
      const { hostname } = request.caller.service;
      const isAllowed = allowedHosts.length === 0 || allowedHosts.includes(hostname);
      if (!isAllowed && !isProbe(request.routeOptions.url)) {
        throw new UnclearHeaderError('The request is for a Host that is not allowed');
      }
      requireOneTarget(request.url, raw.headers.host ?? NO_HOST);
      done();
    } catch (error) {
      if (!(error instanceof UnclearHeaderError)) throw error;
      sendErrorAnswer(reply, { status: error.statusCode, code: 'BAD_REQUEST', message: error.message });
    }
  });
}
