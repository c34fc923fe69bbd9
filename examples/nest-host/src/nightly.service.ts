import { Inject, Injectable } from '@nestjs/common';
import { CredentialProfiles, PlatformClient } from 'portico-service';

/** A job without a caller: it logs in by a credential profile, looks, and logs out. */
@Injectable()
export class NightlyService {
  constructor(
    private readonly client: PlatformClient,
    @Inject(CredentialProfiles) private readonly profiles: CredentialProfiles | undefined,
  ) {}

  async countProjects(): Promise<number> {
    const logIn = this.profiles?.loginOf('nightly');
    if (logIn === undefined) throw new Error('The profile "nightly" is missing: see credentials.file');
    const session = this.client.openSession();
    await logIn(session);
    try {
      return (await session.getProjects()).length;
    } finally {
      await session.logout();
    }
  }
}
