/** How the last fetch of a profile's credentials ended: for an operator, so never with a value. */
export interface ProfileResolution {
  /** Whether the last fetch gave all of the profile's credentials. */
  readonly succeeded: boolean;
  /** Milliseconds of the epoch at which a fetch last succeeded; undefined while none has. */
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
