/** A request for an identity token, where the operator does not allow that: none was made. */
export class IdentityTokensOffError extends Error {
  override readonly name = 'IdentityTokensOffError';

  constructor() {
    super('Identity tokens are turned off');
  }
}
