import { IdentityTokens } from './identity-tokens.js';
import { SessionTable } from './session-table.js';
import { type PlatformSettings } from './settings.js';

/** The state of one running platform. */
export interface Platform {
  readonly settings: PlatformSettings;
  readonly startedAt: number;
  readonly sessions: SessionTable;
  readonly identityTokens: IdentityTokens;
}

export function createPlatform(settings: PlatformSettings): Platform {
  const { now, idleSeconds, maxSessions } = settings;
  return {
    settings,
    startedAt: now(),
    sessions: new SessionTable({ now, idleSeconds, maxSessions }),
    identityTokens: new IdentityTokens({ now, maxTokens: maxSessions }),
  };
}
