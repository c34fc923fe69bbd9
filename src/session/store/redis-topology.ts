import { readFileSync } from 'node:fs';
import { type Socket } from 'node:net';
import { type ConnectionOptions } from 'node:tls';
import {
  Cluster,
  Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';
import { parseRedisUrl, type RedisPlace } from '../../config/redis-url.js';
import { type SessionSettings } from '../../config/session-settings.js';
import { REDIS_SCRIPTS, type RedisScripts } from './redis-scripts.js';
import { CountingConnector, CountingSocket } from './redis-socket.js';

/** For a connection to be made, unless a command may take longer. */
const CONNECT_TIMEOUT_MS = 1000;
/** How long a new connection may be silent while it is set up. */
const SILENCE_MS = 5000;
const LONGEST_PAUSE_MS = 500;
/** A connection that is given up closes in this time, even if the other side does not close it. */
const CLOSE_MS = 100;
/** How long a sentinel may take to say where the master is. */
const SENTINEL_MS = 500;
/** A command of a cluster goes to at most this number of nodes, one after the other, before it fails. */
const MOST_NODES_ASKED = 4;

/** How long a connection waits for Redis. */
function limits(timeoutMs: number) {
  return {
    connectTimeout: Math.max(CONNECT_TIMEOUT_MS, timeoutMs),
    disconnectTimeout: CLOSE_MS,
    socketTimeout: SILENCE_MS,
    maxRetriesPerRequest: 1,
  };
}

/** What sets the connection of the sessions apart: it queues nothing, and knows the scripts. */
const OWN = { enableOfflineQueue: false, retryStrategy: pauseBefore, scripts: REDIS_SCRIPTS };

/** How Redis is reached. */
export interface RedisAccess {
  readonly url: string;
  readonly sentinelPassword?: string | undefined;
  readonly tls?: ConnectionOptions | undefined;
  /** How long a command may take; without it, as the settings do. */
  readonly timeoutMs?: number | undefined;
  /** A client that knows the way: its options count, and nothing else. */
  readonly client?: Redis | undefined;
}

/** A connection to Redis with the scripts as methods. */
export type RedisConnection = (Redis | Cluster) & RedisScripts;

/** @throws Error of the file system if a file of the settings cannot be read. */
export function redisAccess(settings: SessionSettings): RedisAccess {
  const { REDIS_URL: url = '', REDIS_SENTINEL_PASSWORD: sentinelPassword } = settings;
  const { REDIS_TLS_CA: ca, REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key } = settings;
  return {
    url,
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    sentinelPassword,
    tls: {
      ...(ca !== undefined && { ca: readFileSync(ca) }),
      ...(cert !== undefined && { cert: readFileSync(cert) }),
      ...(key !== undefined && { key: readFileSync(key) }),
    },
  };
}

/** Whether the keys of one script have to be in one slot. */
export function isCluster({ url }: RedisAccess): boolean {
  return parseRedisUrl(url)?.kind === 'cluster';
}

/** Connects in the background and reconnects on its own. Until then, every command fails immediately. */
export function connectRedis({
  url,
  sentinelPassword,
  tls = {},
  timeoutMs = 0,
  client,
}: RedisAccess): RedisConnection {
  if (client !== undefined) return beside(client, timeoutMs) as RedisConnection;
  const place = parseRedisUrl(url);
  if (place === undefined) throw new TypeError('REDIS_URL is not the URL of a Redis');
  const common = {
    username: place.username,
    password: place.password,
    ...(place.isTls && { tls }),
    ...limits(timeoutMs),
  };
  return (
    place.kind === 'cluster' ? cluster(place, common) : server(place, common, sentinelPassword)
  ) as RedisConnection;
}

function server(place: RedisPlace, common: RedisOptions, sentinelPassword: string | undefined): Redis {
  const [first] = place.nodes;
  const options: RedisOptions = {
    ...common,
    ...(place.kind === 'single'
      ? { ...first, Connector: CountingConnector }
      : { ...sentinels(place, common, sentinelPassword), Connector: CountingSentinelConnector }),
    db: place.database,
    ...OWN,
  };
  return new Redis(options);
}

/** A connection of its own to where another client is connected: it ends whenever a reply cannot be trusted. */
function beside(client: Redis, timeoutMs: number): Redis {
  const isSentinel = (client.options.sentinels?.length ?? 0) > 0;
  const Connector = isSentinel ? CountingSentinelConnector : CountingConnector;
  return client.duplicate({ ...limits(timeoutMs), ...OWN, lazyConnect: false, Connector });
}

function sentinels(
  { nodes, group = '', isTls }: RedisPlace,
  { tls }: RedisOptions,
  password: string | undefined,
): RedisOptions {
  return {
    sentinels: [...nodes],
    name: group,
    sentinelPassword: password,
    sentinelCommandTimeout: SENTINEL_MS,
    sentinelRetryStrategy: pauseBefore,
    // They say so when there is another master; a dead one keeps its connections open.
    failoverDetector: true,
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    // A master that has become a replica.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  };
}

function cluster({ nodes }: RedisPlace, common: RedisOptions): Cluster {
  return new Cluster([...nodes], {
    redisOptions: { ...common, Connector: CountingConnector },
    enableOfflineQueue: false,
    maxRedirections: MOST_NODES_ASKED,
    clusterRetryStrategy: pauseBefore,
    slotsRefreshTimeout: common.connectTimeout ?? CONNECT_TIMEOUT_MS,
    scripts: REDIS_SCRIPTS,
  });
}

function pauseBefore(attempt: number): number {
  return Math.min(20 * attempt, LONGEST_PAUSE_MS);
}

/** Finds the master by its sentinels, and counts its replies. */
class CountingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override async connect(...given: Parameters<SentinelConnector['connect']>): Promise<Socket> {
    const socket = await super.connect(...given);
    const counting = new CountingSocket(socket) as unknown as Socket;
    this.stream = counting;
    return counting;
  }
}
