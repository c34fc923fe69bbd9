/** Names of networks, as Fastify has them. */
const NAMED = new Map([
  ['loopback', ['loopback']],
  ['private', ['uniquelocal', 'linklocal']],
]);

/** The proxies whose headers are trusted, in the form that Fastify expects; none if the list is empty. */
export function trustedProxies(proxies: readonly string[]): false | string[] {
  return proxies.length === 0 ? false : proxies.flatMap((proxy) => NAMED.get(proxy) ?? [proxy]);
}
