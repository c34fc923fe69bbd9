/**
 * Whether bytes may have come from a random generator: they are not just a few values, nor just a few steps between values,
 * nor one part repeated. A guess, and a lenient one: it finds what a person typed to get past a check.
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
