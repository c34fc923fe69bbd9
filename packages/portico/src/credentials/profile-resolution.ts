/** How the last fetch of a profile's credentials ended. For an operator, so it never contains a value. */
export interface ProfileResolution {
  /** Whether the last fetch returned all of the profile's credentials. */
  readonly succeeded: boolean;
  /** When a fetch last succeeded, in milliseconds since the epoch; undefined before the first success. */
  readonly lastSuccess: number | undefined;
}

/** The state after a fetch, given the state before it. */
export function nextResolution(
  before: ProfileResolution | undefined,
  succeeded: boolean,
  now: number,
): ProfileResolution {
  return { succeeded, lastSuccess: succeeded ? now : before?.lastSuccess };
}
