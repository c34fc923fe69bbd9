/** As much of a cookie as tells it from others. */
interface Cookie {
  readonly name: string;
  readonly domain: string;
  readonly path: string;
}

/** A snapshot of the client. */
interface State {
  readonly base_url: string;
  readonly cookies: readonly Cookie[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What two instances have learned about one platform session since a version that both have started from: all that
 * one of them has, and what only the other has changed. A balancer that sets its cookie with each answer would
 * otherwise make one instance forget the token that the platform has renewed for it.
 *
 * @param base the snapshot from which both started, as JSON
 * @param own what this instance has now
 * @param stored what another instance has stored; for what both have changed, this counts
 * @returns the same text as `stored` if there is nothing to add
 */
export function mergedSnapshot(base: string, own: string, stored: string): string {
  const [before, mine, theirs] = [base, own, stored].map((text) => JSON.parse(text) as State) as [
    State,
    State,
    State,
  ];
  const headers = merged(entriesOf(before), entriesOf(mine), entriesOf(theirs));
  const cookies = merged(byPlace(before), byPlace(mine), byPlace(theirs));
  if (headers === undefined && cookies === undefined) return stored;
  return JSON.stringify({
    base_url: theirs.base_url,
    cookies: cookies === undefined ? theirs.cookies : [...cookies.values()],
    headers: headers === undefined ? theirs.headers : Object.fromEntries(headers),
  });
}

/** Undefined if nothing is to be added to theirs. */
function merged<T>(
  before: ReadonlyMap<string, T>,
  mine: ReadonlyMap<string, T>,
  theirs: ReadonlyMap<string, T>,
): Map<string, T> | undefined {
  const result = new Map(theirs);
  let isChanged = false;
  for (const name of new Set([...before.keys(), ...mine.keys()])) {
    const [was, own, stored] = [before, mine, theirs].map((each) => each.get(name));
    if (isSame(was, own) || !isSame(was, stored)) continue;
    if (own === undefined) result.delete(name);
    else result.set(name, own);
    isChanged = true;
  }
  return isChanged ? result : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function entriesOf({ headers }: State): Map<string, string> {
  return new Map(Object.entries(headers));
}

function byPlace({ cookies }: State): Map<string, Cookie> {
  return new Map(cookies.map((cookie) => [`${cookie.domain} ${cookie.path} ${cookie.name}`, cookie]));
}
