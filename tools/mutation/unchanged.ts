import { inject } from 'vitest';

/** What a spec loads is loaded unchanged: the process may remember the line that was changed for the one before it. */
const stryker = (globalThis as Record<string, { activeMutant?: string } | undefined>)[
  inject('globalNamespace' as never) as string
];
if (stryker !== undefined) delete stryker.activeMutant;
