import { type EmbeddedCall } from './own-routes.js';
import { SessionTable, type IServerSession } from './session-table.js';
import { type PlatformSettings } from './settings.js';
import { randomToken } from './ids.js';
import { serverSessionLimitReached } from './errors.js';

/** The state of one running platform. */
export interface Platform {
  readonly settings: PlatformSettings;
  readonly startedAt: number;
  readonly sessions: SessionTable;
  readonly identityTokens: IdentityTokens;
  /** The latest calls, the oldest first. */
  readonly calls: EmbeddedCall[];
}

export function createPlatform(settings: PlatformSettings): Platform {
  const { now, idleSeconds, maxSessions } = settings;
  return {
    settings,
    startedAt: now(),
    sessions: new SessionTable({ now, idleSeconds, maxSessions }),
    calls: [],
    identityTokens: new IdentityTokens({ now, maxTokens: maxSessions }),
  };
}

const LIFETIME_MS = 60_000;

interface IdentityTokensOptions {
  readonly now: () => number;
  readonly maxTokens: number;
}

interface IdentityToken {
  readonly iServerSession: IServerSession;
  readonly createdAt: number;
}

/** Tokens with which another client can join a session, once and within 60 seconds. */
export class IdentityTokens {
  readonly #options: IdentityTokensOptions;
  /** Oldest first, since all have the same lifetime. */
  readonly #byToken = new Map<string, IdentityToken>();

  constructor(options: IdentityTokensOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byToken.size;
  }

  /** @throws Refusal when there are too many unused tokens. */
  create(iServerSession: IServerSession): string {
    this.#removeExpired();
    if (this.#byToken.size >= this.#options.maxTokens) throw serverSessionLimitReached();
    const token = randomToken();
    this.#byToken.set(token, { iServerSession, createdAt: this.#options.now() });
    return token;
  }

  /** The session of a token, which stays usable. */
  find(token: string): IServerSession | undefined {
    this.#removeExpired();
    return this.#byToken.get(token)?.iServerSession;
  }

  /** The session of a token, which cannot be used again. */
  use(token: string): IServerSession | undefined {
    const iServerSession = this.find(token);
    this.#byToken.delete(token);
    return iServerSession;
  }

  #removeExpired(): void {
    const newestExpired = this.#options.now() - LIFETIME_MS;
    for (const [token, { createdAt }] of this.#byToken) {
      if (createdAt > newestExpired) return;
      this.#byToken.delete(token);
    }
  }
}
