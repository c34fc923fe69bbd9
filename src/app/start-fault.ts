/** What Node adds if a server cannot listen. */
interface Address {
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
}

/** Says in one line what keeps the service from starting, and what to do about it. */
export function startFault(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null || !('message' in fault)) return 'The service cannot start';
  const { code, path, port, address, hostname } = fault as NodeJS.ErrnoException & Address;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port ?? ''} of ${address ?? 'this machine'} is in use: choose another (PORT, METRICS_PORT or EMBEDDED_PLATFORM_PORT), or 0 for any free one`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `${address ?? hostname ?? 'The host'} is not an address of this machine: check HOST and METRICS_HOST`;
    case 'EACCES':
    case 'EPERM':
      return path === undefined
        ? `Port ${port ?? ''} requires more permissions than this process has`
        : `${path} cannot be used: no permission`;
    case 'ENOENT':
      return `${path ?? 'A file'} does not exist`;
    case 'EISDIR':
      return `${path ?? 'A file'} is a folder`;
    default:
      return String(fault.message);
  }
}
