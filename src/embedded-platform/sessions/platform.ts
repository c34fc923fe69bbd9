import { IdentityTokens } from './identity-tokens.js';
import { SessionTable } from './session-table.js';
import { type Settings } from './settings.js';

/** All that one running platform knows. */
export interface Platform {
  readonly settings: Settings;
  readonly startedAt: number;
  readonly sessions: SessionTable;
  readonly identityTokens: IdentityTokens;
}

export function createPlatform(settings: Settings): Platform {
  const { now, idleSeconds, maxSessions } = settings;
  return {
    settings,
    startedAt: now(),
    sessions: new SessionTable({ now, idleSeconds, maxSessions }),
    identityTokens: new IdentityTokens({ now, maxTokens: maxSessions }),
  };
}
