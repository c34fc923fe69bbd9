import { Gauge, type Registry } from 'prom-client';
import { type CredentialProfiles } from '../credentials/index.js';

/** Shows of each credential profile whether its credentials were last fetched, and when; never anything of them. */
export function showProfiles(profiles: CredentialProfiles, registry: Registry): void {
  new Gauge({
    name: 'portico_credential_profile_resolved',
    help: '1 where the last fetch gave all credentials of the profile, 0 where it failed; absent before the first.',
    labelNames: ['profile'],
    registers: [registry],
    collect() {
      // Profiles that are in the file no more go.
      this.reset();
      for (const profile of profiles.names) {
        const resolution = profiles.resolutionOf(profile);
        if (resolution !== undefined) this.set({ profile }, resolution.succeeded ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'portico_credential_profile_last_success_timestamp_seconds',
    help: 'When the credentials of the profile were last fetched; 0: not since the start.',
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
