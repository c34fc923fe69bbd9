import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PlatformClient, PlatformError } from 'portico/client';
import { Settings } from '../config/settings.js';
import { adviceFor } from './advice.js';
import { platformClient } from './platform-client.factory.js';
import { probePlatform, type ProbeResult } from './probe.js';

/** Limits the memory for a platform whose messages always differ. */
const MOST_REPORTED = 100;

/** Calls the platform once, so that a wrong base URL is reported at start and not by the first login. */
@Injectable()
export class PlatformProbe {
  readonly #logger = new Logger(PlatformProbe.name);
  readonly #reported = new LRUCache<string, true>({ max: MOST_REPORTED });
  #last: ProbeResult | undefined;

  constructor(
    private readonly client: PlatformClient,
    private readonly settings: Settings,
  ) {}

  /** The result; undefined until then. */
  get result(): ProbeResult | undefined {
    return this.#last;
  }

  /** Logs once what an error of a login says about the settings: which header came, or where a redirect leads. */
  explain(error: unknown): void {
    const advice = error instanceof PlatformError ? adviceFor(error, this.settings) : undefined;
    if (advice === undefined || this.#reported.has(advice.found)) return;
    this.#reported.set(advice.found, true);
    this.#logger.error(`A login failed: ${advice.found}. ${advice.fix}`);
  }

  /** Calls the platform and logs the result. The service starts in any case. */
  async ask(): Promise<ProbeResult> {
    const { client, settings } = this;
    const clientFor = (baseUrl: string): PlatformClient => platformClient(settings, baseUrl, {});
    this.#last = await probePlatform({ client, settings, clientFor });
    const { version, advice } = this.#last;
    if (advice !== undefined) this.#logger.error(`The platform: ${advice.found}. ${advice.fix}`);
    else this.#logger.log(`The platform answers: version ${version ?? 'unknown'}`);
    return this.#last;
  }
}
