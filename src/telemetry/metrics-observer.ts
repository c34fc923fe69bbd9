import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { ERROR_CODES } from 'portico/errors';
import {
  type ErrorFacts,
  eventOutcome,
  type Observer,
  type SessionEventKind,
} from '../logging/observation.js';
import { platformOperation } from '../platform/platform-operation.js';
import { DURATION_BUCKETS } from './request-metrics.js';

/** In seconds: from a read in this process to the longest that a command to Redis may take. */
const FAST_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** The events that start a session, or try to. */
const LOGINS: ReadonlySet<SessionEventKind> = new Set(['login', 'delegate', 'profile_use', 'relogin']);

/** Counts and times what the rooms below report. Labels come from closed sets, never from a caller. */
export function metricsObserver(registry: Registry, factsOf: (error: unknown) => ErrorFacts): Observer {
  const registers = [registry];
  return {
    ...countOperations(registers),
    ...countLogins(registers, factsOf),
    ...timePlatformCalls(registers),
    ...countProjectsLeftOut(registers),
    ...showCircuits(registers),
    ...timeStoreOperations(registers),
  };
}

/** Most operations have the HTTP status 200, with and without errors. */
function countOperations(registers: Registry[]): Observer {
  const operations = new Counter({
    name: 'portico_graphql_operations_total',
    help: 'Operations by kind and the code of their first error; `OK` without an error.',
    labelNames: ['operation', 'code'],
    registers,
  });
  // Prometheus sees an increase only in a series that exists already.
  for (const operation of ['query', 'mutation'])
    operations.inc({ operation, code: 'INTERNAL_SERVER_ERROR' }, 0);
  return {
    operationAnswered: (operation = 'none', code = 'OK') => {
      operations.inc({ operation, code: code === 'OK' || Object.hasOwn(ERROR_CODES, code) ? code : 'other' });
    },
  };
}

function countLogins(registers: Registry[], factsOf: (error: unknown) => ErrorFacts): Observer {
  const logins = new Counter({
    name: 'portico_logins_total',
    help: 'Logins, delegations, uses of profiles and new logins of service sessions; the reason is empty for a success.',
    labelNames: ['event', 'outcome', 'reason'],
    registers,
  });
  const identityTokens = new Counter({
    name: 'portico_identity_tokens_total',
    help: 'Identity tokens that were requested; the reason is empty if one was issued.',
    labelNames: ['outcome', 'reason'],
    registers,
  });
  // Prometheus sees an increase only in a series that exists already.
  logins.inc({ event: 'relogin', outcome: 'failure', reason: 'LOGIN_FAILED' }, 0);
  return {
    sessionEvent: ({ kind, error }) => {
      if (!LOGINS.has(kind) && kind !== 'identity_token') return;
      const failure = error === undefined ? undefined : factsOf(error);
      const reason = failure === undefined ? '' : (failure.reason ?? failure.code);
      const outcome = eventOutcome(kind, failure);
      if (kind === 'identity_token') identityTokens.inc({ outcome, reason });
      else logins.inc({ event: kind, outcome, reason });
    },
  };
}

function timePlatformCalls(registers: Registry[]): Observer {
  const calls = new Histogram({
    name: 'portico_platform_call_duration_seconds',
    help: 'Time of one call to the platform; the status is `none` where there was no answer.',
    labelNames: ['operation', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const inFlight = new Gauge({
    name: 'portico_platform_calls_in_flight',
    help: 'Calls to the platform in progress.',
    registers,
  });
  return {
    platformCall: (call) => {
      inFlight.inc();
      return {
        ended: ({ status, milliseconds }) => {
          inFlight.dec();
          const labels = { operation: platformOperation(call), status: status ?? 'none' };
          calls.observe(labels, milliseconds / 1000);
        },
      };
    },
  };
}

function countProjectsLeftOut(registers: Registry[]): Observer {
  const leftOut = new Counter({
    name: 'portico_projects_left_out_total',
    help: 'Projects without an id or a name in the lists of the platform: they are left out of the answers.',
    registers,
  });
  return {
    projectsLeftOut: (count) => {
      leftOut.inc(count);
    },
  };
}

function showCircuits(registers: Registry[]): Observer {
  const openUntil = { auth: 0, data: 0 };
  new Gauge({
    name: 'portico_platform_circuit_open',
    help: '1 while the platform is left alone after many failures: `auth` for logins, `data` for the rest.',
    labelNames: ['circuit'],
    registers,
    // By the clock: while no call to the platform is made, nothing reports that the pause is over.
    collect() {
      for (const circuit of ['auth', 'data'] as const)
        this.set({ circuit }, performance.now() < openUntil[circuit] ? 1 : 0);
    },
  });
  return {
    circuitChange: ({ circuit, openMs }) => {
      openUntil[circuit] = performance.now() + openMs;
    },
  };
}

function timeStoreOperations(registers: Registry[]): Observer {
  const operations = new Histogram({
    name: 'portico_session_store_operation_duration_seconds',
    help: 'Time of one operation of the session store.',
    labelNames: ['operation', 'outcome'],
    buckets: FAST_BUCKETS,
    registers,
  });
  return {
    step: async ({ kind, operation }, work) => {
      if (kind !== 'session_store') return work();
      const end = operations.startTimer({ operation });
      try {
        const result = await work();
        end({ outcome: 'ok' });
        return result;
      } catch (error) {
        end({ outcome: 'error' });
        throw error;
      }
    },
  };
}
