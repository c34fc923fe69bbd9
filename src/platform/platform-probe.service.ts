import { Injectable, Logger } from '@nestjs/common';
import { PlatformClient } from '../client/index.js';
import { Settings } from '../config/settings.js';
import { platformClient } from './platform-client.factory.js';
import { probePlatform, type ProbeResult } from './probe.js';

/** Asks the platform once whether it is there: a wrong base URL is told at start and not by the first login. */
@Injectable()
export class PlatformProbe {
  private readonly logger = new Logger(PlatformProbe.name);
  private last: ProbeResult | undefined;

  constructor(
    private readonly client: PlatformClient,
    private readonly settings: Settings,
  ) {}

  /** What came of it; undefined until then. */
  get result(): ProbeResult | undefined {
    return this.last;
  }

  /** Asks, and tells the log. The service starts whatever comes of it. */
  async ask(): Promise<ProbeResult> {
    const { client, settings } = this;
    const clientFor = (baseUrl: string): PlatformClient => platformClient(settings, baseUrl, {});
    this.last = await probePlatform({ client, settings, clientFor });
    const { version, advice } = this.last;
    if (advice !== undefined) this.logger.error(`The platform: ${advice.found}. ${advice.fix}`);
    else this.logger.log(`The platform answers: version ${version ?? 'unknown'}`);
    return this.last;
  }
}
