import { randomBytes } from 'node:crypto';

/** A secret that was seen where it must not be: its kind and spelling, never the secret. */
export interface Sighting {
  readonly kind: string;
  readonly spelling: string;
}

/** Secrets planted by a test run, and the search for them in whatever the run put out. */
export interface Canaries {
  /** A new secret, `CANARY-<kind>-<32 hex digits>`: fit for a header, a cookie, a password or an address. */
  plant(kind: string): string;
  /**
   * A new name, `PUBLIC-<kind>-<32 hex digits>`, that some outputs may show. This search finds it as it finds a secret;
   * the ledger of secrets leaves it out.
   */
  plantPublic(kind: string): string;
  /** Watches a secret that was made elsewhere, such as a token that the platform issued. */
  watch(kind: string, secret: string): void;
  /** Every planted or watched secret in the text: plain, base64, hex or URL-encoded. */
  findIn(text: string): Sighting[];
}

/** Each secret that `plant` made, in a text. */
export const PLANTED_SECRETS = /CANARY-[\w-]+/g;

/** Under this length chance would find a secret everywhere. */
const SHORTEST_SECRET = 8;

export function createCanaries(): Canaries {
  const secrets: { kind: string; secret: string }[] = [];
  const make = (prefix: string, kind: string): string => {
    const secret = `${prefix}-${kind}-${randomBytes(16).toString('hex')}`;
    secrets.push({ kind, secret });
    return secret;
  };
  return {
    plant: (kind) => make('CANARY', kind),
    plantPublic: (kind) => make('PUBLIC', kind),
    watch(kind, secret) {
      if (secret.length < SHORTEST_SECRET) throw new RangeError(`The ${kind} is too short to search for.`);
      secrets.push({ kind, secret });
    },
    findIn(text) {
      const lowerCase = text.toLowerCase();
      return secrets.flatMap(({ kind, secret }) =>
        spellingsOf(secret)
          .filter(({ anyCase, letters }) => (anyCase ? lowerCase : text).includes(letters))
          .map(({ spelling }) => ({ kind, spelling })),
      );
    },
  };
}

interface Spelling {
  readonly spelling: string;
  readonly letters: string;
  /** Given in lower case, and found in any. */
  readonly anyCase: boolean;
}

function spellingsOf(secret: string): Spelling[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const plain = secret.toLowerCase();
  const escaped = encodeURIComponent(secret).toLowerCase();
  return [
    { spelling: 'plain', letters: plain, anyCase: true },
    { spelling: 'hex', letters: hex, anyCase: true },
    { spelling: 'URL-encoded', letters: hex.replaceAll(/../g, '%$&'), anyCase: true },
    ...(escaped === plain ? [] : [{ spelling: 'URL-encoded', letters: escaped, anyCase: true }]),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
}

/** How the secret reads inside a longer base64 text in which it begins `offset` bytes after a group of three. */
function base64At(bytes: Buffer, offset: number): Spelling[] {
  const firstOwn = offset === 0 ? 0 : offset + 1;
  const endOwn = Math.floor(((offset + bytes.length) * 8) / 6);
  const standard = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .slice(firstOwn, endOwn);
  const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_');
  return [...new Set([standard, urlSafe])].map((letters) => ({
    spelling: 'base64',
    letters,
    anyCase: false,
  }));
}
