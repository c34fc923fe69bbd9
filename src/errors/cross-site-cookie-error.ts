/** A login by cookie for a page of another site, whose browser would never send the cookie back. The platform was not called. */
export class CrossSiteCookieError extends Error {
  override readonly name = 'CrossSiteCookieError';

  constructor() {
    super('The session cookie is never sent from a page on another site: log in with transport: BEARER');
  }
}
