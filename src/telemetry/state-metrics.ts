import { Counter, Gauge, type Registry } from 'prom-client';
import { type CredentialProfiles } from 'portico/credentials';
import { type LoginWatch } from '../auth/login-limits.service.js';
import { OVERLOAD_REASONS, RATE_LIMIT_REASONS } from '../errors/service-error.js';
import { type Admission } from '../load/admission.js';
import { type Connections, CUT_REASONS } from '../load/connections.js';
import { REFUSALS, type RefusedRecords } from '../session/record-seal.js';
import { type SessionStore } from '../session/store/session-store.js';
import { STORE_FAULTS, type StoreHealth } from '../session/store/store-health.js';
import { type BuildInfo } from './metrics-listener.js';

// Metrics of what the service knows anyway: they are read when the metrics are.

/** Shows what is running as labels of a metric that is always 1, so that others can be joined with it. */
export function showBuild({ version, node }: BuildInfo, registry: Registry): void {
  new Gauge({
    name: 'portico_build_info',
    help: '1, with the version of Portico and of Node as labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node }, 1);
}

/** Shows what is refused because too much is in flight, and how much may be. */
export function showAdmission(admission: Admission, registry: Registry): void {
  new Counter({
    name: 'portico_requests_refused_total',
    help: 'Requests refused as OVERLOADED, by the limit that was reached.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of OVERLOAD_REASONS) this.inc({ reason }, admission.refused[reason]);
    },
  });
  new Gauge({
    name: 'portico_requests_waiting',
    help: 'Requests waiting for a place.',
    registers: [registry],
    collect() {
      this.set(admission.waiting);
    },
  });
  new Gauge({
    name: 'portico_in_flight_limit',
    help: 'How many requests may be in flight now: MAX_IN_FLIGHT, or fewer while the process is busy.',
    registers: [registry],
    collect() {
      this.set(admission.limit.value);
    },
  });
  new Gauge({
    name: 'portico_connections_held',
    help: 'Connections that wait to be read again after an answer, because the process is busy.',
    registers: [registry],
    collect() {
      this.set(admission.paused);
    },
  });
}

/** Shows which connections were ended because of what their callers did, and how much waits for readers. */
export function showConnections(connections: Connections, registry: Registry): void {
  new Counter({
    name: 'portico_connections_cut_total',
    help: 'Connections that were ended: requests sent ahead, an answer not read, or too many of one network.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of CUT_REASONS) this.inc({ reason }, connections.cuts[reason]);
    },
  });
  new Counter({
    name: 'portico_descriptors_exhausted_total',
    help: 'Looks, one a second, that found that no file could be opened: new connections are reset then.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(connections.descriptors.exhausted);
    },
  });
  new Gauge({
    name: 'portico_unsent_answer_bytes',
    help: 'Bytes of answers that wait for their readers.',
    registers: [registry],
    collect() {
      this.set(connections.unsentBytes);
    },
  });
}

/** Counts the logins that the limiter refused, and floods of failed logins: set an alert on those. */
export function showLogins(logins: LoginWatch, registry: Registry): void {
  new Counter({
    name: 'portico_logins_refused_total',
    help: 'Logins that were refused before the platform was called, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of RATE_LIMIT_REASONS) this.inc({ reason }, logins.refused(reason));
    },
  });
  new Counter({
    name: 'portico_login_floods_total',
    help: 'Floods of failed logins over all accounts and networks. Nobody is refused because of one.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(logins.floodCount);
    },
  });
}

/** Shows for each credential profile whether the last fetch succeeded, and when; never a credential. */
export function showProfiles(profiles: CredentialProfiles, registry: Registry): void {
  new Gauge({
    name: 'portico_credential_profile_resolved',
    help: '1 if the last fetch got all credentials of the profile, 0 if it failed; absent until the first fetch, at start.',
    labelNames: ['profile'],
    registers: [registry],
    collect() {
      // Profiles removed from the file disappear.
      this.reset();
      for (const profile of profiles.names) {
        const resolution = profiles.resolutionOf(profile);
        if (resolution !== undefined) this.set({ profile }, resolution.succeeded ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'portico_credential_profile_last_success_timestamp_seconds',
    help: 'When the credentials of the profile were last fetched successfully; 0 if not since startup.',
    labelNames: ['profile'],
    registers: [registry],
    collect() {
      this.reset();
      for (const profile of profiles.names) {
        this.set({ profile }, (profiles.resolutionOf(profile)?.lastSuccess ?? 0) / 1000);
      }
    },
  });
}

/**
 * Counts session records that could not be opened. `not_authentic` means tampering in the store: set an alert on it.
 */
export function showRefusedRecords(records: RefusedRecords, registry: Registry): void {
  new Counter({
    name: 'portico_session_records_refused_total',
    help: 'Stored sessions that could not be opened: sealed with an unknown key, or tampered with and removed.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of REFUSALS) this.inc({ reason }, records.count(reason));
    },
  });
}

/** Shows how many sessions there are, if the store can tell. While a store cannot be asked, it shows none. */
export function showLiveSessions(store: Pick<SessionStore, 'count'>, registry: Registry): void {
  new Gauge({
    name: 'portico_sessions_live',
    help: 'Sessions that have not ended; absent with Redis, which would have to scan all of its keys.',
    registers: [registry],
    async collect() {
      this.reset();
      const live = await store.count().catch(() => undefined);
      if (live === undefined) this.remove();
      else this.set(live);
    },
  });
}

/** Shows whether the store can do its work, and counts what went wrong with it, even if it has been repaired. */
export function showStoreHealth(health: StoreHealth, registry: Registry): void {
  new Gauge({
    name: 'portico_session_store_up',
    help: '1 while the session store can do its work, as far as is known; else 0.',
    registers: [registry],
    collect() {
      this.set(health.fault === undefined ? 1 : 0);
    },
  });
  new Gauge({
    name: 'portico_session_store_degraded',
    help: '1 while sessions can be read but the store takes no writes, so that logins fail; else 0.',
    registers: [registry],
    collect() {
      this.set(health.isDegraded ? 1 : 0);
    },
  });
  new Counter({
    name: 'portico_session_store_faults_total',
    help: 'Faults of the session store, by kind: each outage, and each repair of its file.',
    labelNames: ['fault'],
    registers: [registry],
    collect() {
      this.reset();
      for (const fault of STORE_FAULTS) this.inc({ fault }, health.count(fault));
    },
  });
}
