import { type Frame, type ProfileSample } from './cpu-profile.ts';

/** A part of what a request needs, and the files whose work it is. The first that matches counts. */
const CONCERNS: readonly (readonly [concern: string, where: RegExp])[] = [
  [
    'JSON',
    /secure-json-parse|client\/json\/|repeated-request-route\.service\.ts##answer$|#prettyJSONStringify$|^#(parse|stringify)$/,
  ],
  ['unsealing, crypto', /src\/session\/.*(seal|handle|key)|node:internal\/crypto/],
  [
    'session store',
    /session-store|store-files|src\/session\/store\/|src\/session\/redis|node_modules\/(ioredis|redis-)|node:sqlite/,
  ],
  ['cookies', /node_modules\/(tough-cookie|tldts)|src\/client\/.*cookie/],
  ['session: load, snapshot, in flight', /src\/session\/|src\/client\/.*(snapshot|restore|session-state)/],
  ['GraphQL: parse, validate', /node_modules\/graphql\/(language|validation)/],
  ['GraphQL: execute', /node_modules\/(graphql|graphql-jit|@nestjs\/graphql|graphql-scalars)\//],
  ['document gates and context', /src\/(graphql|projects|auth|errors)\//],
  ['answer: shape check, mapping', /src\/client\/.*(shape|payload|project|model)/],
  ['Apollo', /node_modules\/(@apollo|@as-integrations|@nestjs\/apollo|negotiator|lru-cache)/],
  ['transport: undici', /node_modules\/undici\/|node:internal\/deps\/undici|src\/client\/.*undici/],
  [
    'transport: got',
    /node_modules\/(got|keyv|cacheable|@sindresorhus|responselike|chunk-data|byte-counter|uint8array)|node:_http_(client|agent)|src\/client\/.*got/,
  ],
  ['client pipeline', /src\/client\/|node_modules\/cockatiel|node:internal\/(abort|event_target)/],
  ['logging', /node_modules\/(pino|sonic-boom|quick-format|safe-stable|@pinojs)|src\/logging\//],
  ['metrics, tracing, audit', /node_modules\/prom-client|src\/(metrics|tracing|audit)\//],
  [
    'helmet, CORS',
    /@fastify\/(helmet|cors)|node_modules\/helmet|src\/http\/(protect|security-headers|answer-headers)/,
  ],
  [
    'Fastify, HTTP hooks',
    /node_modules\/(fastify|@fastify|find-my-way|avvio|middie|reusify|fast-)|src\/(http|app)\b/,
  ],
  ['Nest, RxJS', /node_modules\/(@nestjs|rxjs|class-)/],
];

/** What belongs to no caller's file. */
const SOCKETS = 'Node: sockets, HTTP, streams';
const GC = 'garbage collection';
const NATIVE = 'native code, kernel';

export interface Share {
  readonly concern: string;
  /** Of the time that the process worked, 0 to 1. */
  readonly share: number;
}

/** The share of each concern, the largest first. */
export function sharesOf(samples: readonly ProfileSample[]): Share[] {
  const sums = new Map<string, number>();
  const known = new Map<Frame, string>();
  let all = 0;
  for (const { frame, microseconds } of samples) {
    const concern = known.get(frame) ?? concernOf(frame);
    known.set(frame, concern);
    sums.set(concern, (sums.get(concern) ?? 0) + microseconds);
    all += microseconds;
  }
  return Array.from(sums, ([concern, sum]) => ({ concern, share: sum / all })).sort(
    (a, b) => b.share - a.share,
  );
}

/** A frame belongs to the nearest caller, itself first, whose file names a concern. */
export function concernOf(frame: Frame): string {
  if (frame.functionName === '(garbage collector)') return GC;
  if (frame.functionName === '(program)') return NATIVE;
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    const name = `${at.path}#${at.functionName}`;
    const found = CONCERNS.find(([, where]) => where.test(name));
    if (found !== undefined) return found[0];
  }
  return SOCKETS;
}
