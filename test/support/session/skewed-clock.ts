/**
 * The environment of a process whose wall clock is off by so many milliseconds: every `Date` of it, from before its
 * first line of code. Its timers are right, as they are where a machine's clock is wrong.
 */
export function skewedClock(milliseconds: number): Record<string, string> {
  const source = `
    const Right = Date;
    const now = () => Right.now() + ${milliseconds};
    globalThis.Date = class Date extends Right {
      constructor(...given) {
        if (given.length === 0) super(now());
        else super(...given);
      }
      static now = now;
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}
