import { type FastifyInstance } from 'fastify';
import { type CredentialProfiles } from 'portico/credentials';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type LoginWatch } from '../auth/login-limits.service.js';
import { errorFacts } from '../errors/to-graphql-error.js';
import { type Admission } from '../load/admission.js';
import { type Connections } from '../load/connections.js';
import { type Observation } from '../logging/observation.js';
import { type RefusedRecords } from '../session/record-seal.js';
import { type SessionStore } from '../session/store/session-store.js';
import { type StoreHealth } from '../session/store/store-health.js';
import { buildInfo } from './metrics-listener.js';
import { metricsObserver } from './metrics-observer.js';
import { measureRequests } from './request-metrics.js';
import {
  showAdmission,
  showBuild,
  showConnections,
  showLiveSessions,
  showLogins,
  showProfiles,
  showRefusedRecords,
  showStoreHealth,
} from './state-metrics.js';

/** The parts of the service that metrics tell of. */
export interface Measured {
  readonly server: FastifyInstance;
  readonly observation: Observation;
  readonly admission: Admission;
  readonly connections: Connections;
  readonly store: SessionStore;
  readonly storeHealth: StoreHealth;
  readonly refused: RefusedRecords;
  readonly logins: LoginWatch;
  readonly profiles: CredentialProfiles | undefined;
}

/** A registry with the metrics of the process (CPU, memory, event loop, garbage collection) and of the parts. */
export function measure(parts: Measured): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(parts.server, registry);
  showAdmission(parts.admission, registry);
  showConnections(parts.connections, registry);
  parts.observation.add(metricsObserver(registry, errorFacts));
  showBuild(buildInfo(), registry);
  showLiveSessions(parts.store, registry);
  showRefusedRecords(parts.refused, registry);
  showStoreHealth(parts.storeHealth, registry);
  showLogins(parts.logins, registry);
  if (parts.profiles !== undefined) showProfiles(parts.profiles, registry);
  return registry;
}
