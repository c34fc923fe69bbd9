import { Gauge, type Registry } from 'prom-client';
import { type CredentialProfiles } from 'portico/credentials';

/** Shows for each credential profile whether the last fetch succeeded, and when; never a credential. */
export function showProfiles(profiles: CredentialProfiles, registry: Registry): void {
  new Gauge({
    name: 'portico_credential_profile_resolved',
    help: '1 if the last fetch got all credentials of the profile, 0 if it failed; absent before the first fetch.',
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
