import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { type Environment } from '../config/environment.js';
import { ProcessEnvironment } from '../config/settings.module.js';
import { Observation } from '../logging/observation.js';
import { Relogin } from '../session/session-runner.service.js';
import { ProfileLoginService } from './profile-login.service.js';
import { CredentialProfiles } from 'portico/credentials';

/** The credential profiles, for logins by profile. Global, so that sessions can get their relogin from here. */
@Global()
@Module({
  providers: [
    {
      provide: CredentialProfiles,
      inject: [Settings, ProcessEnvironment, Observation],
      useFactory: async (
        { CREDENTIALS_FILE: file }: Settings,
        environment: Environment,
        observation: Observation,
      ): Promise<CredentialProfiles | undefined> => {
        if (file === undefined) return undefined;
        const logger = new Logger(CredentialProfiles.name);
        return CredentialProfiles.open(file, {
          environment,
          runFetch: (operation, fetch) => observation.step({ kind: 'secret_store', operation }, fetch),
          onProblem: ({ message }) => {
            logger.error(`${message}\nThe profiles are unchanged`);
          },
          onChange: () => {
            logger.log('The credential profiles have changed');
          },
        });
      },
    },
    ProfileLoginService,
    { provide: Relogin, useExisting: ProfileLoginService },
  ],
  exports: [CredentialProfiles, ProfileLoginService, Relogin],
})
export class CredentialsModule implements OnApplicationShutdown {
  constructor(@Inject(CredentialProfiles) private readonly profiles: CredentialProfiles | undefined) {}

  onApplicationShutdown(): void {
    this.profiles?.close();
  }
}
