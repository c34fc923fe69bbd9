/** A value that is loaded when it is first needed, and shared. */
export interface Once<T> {
  (): Promise<T>;
  /** Makes the next call load again. Callers who wait for a running load still get its result. */
  forget(): void;
}

export interface OnceOptions {
  /** How many seconds a loaded value is used; 0 shares a running load only. Default: forever. */
  readonly ttlSeconds?: number | undefined;
  /** The clock, in milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * Loads at the first call. All callers who arrive while it runs share one load. A loaded value is kept, a failure
 * is not.
 *
 * @param options.ttlSeconds - may also be read from the loaded value
 */
export function once<T>(
  load: () => Promise<T>,
  {
    ttlSeconds = Infinity,
    now = Date.now,
  }: Omit<OnceOptions, 'ttlSeconds'> & {
    readonly ttlSeconds?: number | ((value: T) => number) | undefined;
  } = {},
): Once<T> {
  let current: { value: Promise<T>; freshUntil: number } | undefined;

  const start = (): Promise<T> => {
    const loading = { value: load(), freshUntil: Infinity };
    current = loading;
    loading.value.then(
      (value) => {
        const seconds = typeof ttlSeconds === 'function' ? ttlSeconds(value) : ttlSeconds;
        loading.freshUntil = now() + seconds * 1000;
      },
      () => {
        if (current === loading) current = undefined;
      },
    );
    return loading.value;
  };

  const get = (): Promise<T> =>
    current !== undefined && now() < current.freshUntil ? current.value : start();
  const forget = (): void => {
    current = undefined;
  };

  return Object.assign(get, { forget });
}
