import { inject, vi } from 'vitest';

/** What a spec loads is loaded unchanged: the process may remember the line that was changed for the one before it. */
const stryker = (globalThis as Record<string, { activeMutant?: string } | undefined>)[
  inject('globalNamespace' as never) as string
];
if (stryker !== undefined) delete stryker.activeMutant;

/** Only what a changed line leaves waiting is not waited for: the machine may be busy. */
if (inject('mode' as never) === 'dry-run') vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
