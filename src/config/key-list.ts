/** A server key with the id under which records refer to it. */
export interface NamedKey {
  readonly kid: string;
  readonly key: Buffer;
}

/** 32 random bytes have about 30 different values; fewer than this cannot be a coincidence. */
const LEAST_DIFFERENT_BYTES = 12;

/**
 * Parses `kid:base64(32 bytes),…`, newest first; undefined if a part is malformed or not random, or a kid occurs
 * twice.
 */
export function parseKeyList(text: string): NamedKey[] | undefined {
  const keys: NamedKey[] = [];
  for (const part of text.split(',')) {
    const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim());
    if (match?.[1] === undefined || match[2] === undefined) return undefined;
    const kid = match[1];
    const key = Buffer.from(match[2], 'base64');
    if (!isRandom(key)) return undefined;
    if (keys.some((other) => other.kid === kid)) return undefined;
    keys.push({ kid, key });
  }
  return keys;
}

/**
 * Text that a person wrote is not a key either: of 10^13 random keys, fewer than one has only printable characters.
 */
function isRandom(key: Buffer): boolean {
  return looksRandom(key, LEAST_DIFFERENT_BYTES) && !/^[\x20-\x7e]+$/.test(key.toString('latin1'));
}

export function isKeyList(value: unknown): boolean {
  return typeof value === 'string' && parseKeyList(value) !== undefined;
}

/**
 * Whether bytes may have come from a random generator: they are not just a few values, nor just a few steps between
 * values, nor one part repeated. A guess, and a lenient one: it finds what a person typed to get past a check.
 *
 * @param least how many different values, and how many different steps, there must be.
 */
export function looksRandom(bytes: Uint8Array, least: number): boolean {
  const steps = bytes.slice(1).map((byte, n) => byte - (bytes[n] ?? 0));
  return new Set(bytes).size >= least && new Set(steps).size >= least && !isRepeated(bytes);
}

function isRepeated(bytes: Uint8Array): boolean {
  for (let period = 1; period <= bytes.length / 2; period += 1) {
    if (bytes.slice(period).every((byte, n) => byte === bytes[n])) return true;
  }
  return false;
}
