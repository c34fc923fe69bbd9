/** A file of credential profiles cannot be used. Names every fault at once by its path, and no value. */
export class CredentialProfilesError extends Error {
  override readonly name = 'CredentialProfilesError';

  /** @param problems - each `path: what is wrong` */
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super([`${file} is not a valid file of credential profiles:`, ...problems].join('\n  '));
  }
}
