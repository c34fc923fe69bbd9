/** What is wrong with this Node for the service, in one line; nothing where it is new enough. */
export function nodeFault(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 13)) return undefined;
  return `Portico needs Node 24.13 or newer; this is ${process.versions.node}. In a checkout, npm start uses the Node that the project installs.`;
}

/**
 * What to install, in one line, where the service could not be loaded for want of a package: the package of the client
 * does not bring those of the service.
 *
 * @returns nothing when the error is of another kind.
 */
export function packageFault(error: unknown): string | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code !== 'ERR_MODULE_NOT_FOUND' || typeof message !== 'string') return undefined;
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  return name && `The service needs ${name} and more: install portico-service next to portico.`;
}
