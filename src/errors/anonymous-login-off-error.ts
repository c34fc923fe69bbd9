/** A login without credentials, where the operator does not allow that: it was not made. */
export class AnonymousLoginOffError extends Error {
  override readonly name = 'AnonymousLoginOffError';

  constructor() {
    super('Anonymous logins are turned off: log in with credentials');
  }
}
