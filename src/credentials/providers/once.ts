/** A lazy value that is shared. */
export interface Once<T> {
  (): Promise<T>;
  /** Makes the next call load again; a load that is under way is left to those who wait for it. */
  forget(): void;
}

export interface OnceOptions {
  /** Seconds for which a loaded value serves; 0 shares the running load only. Without it the value stays. */
  readonly ttlSeconds?: number | undefined;
  /** The clock, in milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Loads at the first call, shares one flight among all who ask meanwhile, remembers success, forgets failure. */
export function once<T>(
  load: () => Promise<T>,
  { ttlSeconds = Infinity, now = Date.now }: OnceOptions = {},
): Once<T> {
  let current: { value: Promise<T>; freshUntil: number } | undefined;

  const start = (): Promise<T> => {
    const flight = { value: load(), freshUntil: Infinity };
    current = flight;
    flight.value.then(
      () => {
        flight.freshUntil = now() + ttlSeconds * 1000;
      },
      () => {
        if (current === flight) current = undefined;
      },
    );
    return flight.value;
  };

  const get = (): Promise<T> =>
    current !== undefined && now() < current.freshUntil ? current.value : start();
  const forget = (): void => {
    current = undefined;
  };

  return Object.assign(get, { forget });
}
