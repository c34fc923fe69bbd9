const PATHS: readonly (string | undefined)[] = ['/livez', '/readyz'];

/** Whether a path is that of a probe. Probes are answered whatever happens, and name a machine by its address. */
export function isProbe(path: string | undefined): boolean {
  return PATHS.includes(path);
}
