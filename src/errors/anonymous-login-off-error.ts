/** A login without credentials, which the operator does not allow. The platform was not called. */
export class AnonymousLoginOffError extends Error {
  override readonly name = 'AnonymousLoginOffError';

  constructor() {
    super('Anonymous logins are turned off: log in with credentials');
  }
}
