/** Where Redis is, and how it is run there. */
export interface RedisPlace {
  /** One server; a master that sentinels name; or a cluster, of which some nodes are given. */
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly isTls: boolean;
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The name under which the sentinels know the master. */
  readonly group: string | undefined;
  readonly database: number;
}

const FORM =
  /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\/(\d{1,3}))?$/;
const PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 };
const DATABASE = /^\d{0,3}$/;
const GROUP = /^[\w.-]{1,128}$/;

/**
 * Reads `redis://host:port/database`, `redis+sentinel://h1:p1,h2:p2/group` or `redis+cluster://h1:p1,h2:p2`, each
 * with `rediss` for TLS and with `user:password@` before the hosts; undefined for anything else.
 */
export function parseRedisUrl(value: unknown): RedisPlace | undefined {
  const parts = typeof value === 'string' ? FORM.exec(value) : null;
  if (parts === null) return undefined;
  const [, tls, topology, user = '', hosts = '', path = '', lastPath] = parts;
  const kind = (topology ?? 'single') as RedisPlace['kind'];
  const nodes = hosts.split(',').map((host) => nodeOf(host, PORTS[kind]));
  const credentials = decoded(user);
  const isPath = {
    single: nodes.length === 1 && DATABASE.test(path) && lastPath === undefined,
    sentinel: GROUP.test(path),
    cluster: path === '' && lastPath === undefined,
  };
  if (!isPath[kind] || credentials === undefined || nodes.includes(undefined)) return undefined;
  return {
    kind,
    isTls: tls === 's',
    nodes: nodes.filter((node) => node !== undefined),
    ...credentials,
    group: kind === 'sentinel' ? path : undefined,
    database: Number(kind === 'single' ? path : (lastPath ?? 0)),
  };
}

function nodeOf(text: string, usualPort: number): RedisPlace['nodes'][number] | undefined {
  if (!URL.canParse(`redis://${text}`)) return undefined;
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') return undefined;
  return { host: hostname.replace(/[[\]]/g, ''), port: port === '' ? usualPort : Number(port) };
}

function decoded(user: string): Pick<RedisPlace, 'username' | 'password'> | undefined {
  const [name = '', ...password] = user.split(':');
  try {
    return {
      username: decodeURIComponent(name) || undefined,
      password: decodeURIComponent(password.join(':')) || undefined,
    };
  } catch {
    return undefined;
  }
}
