/** A login by cookie for a page of another site: its browser would never send the cookie back. It was not made. */
export class CrossSiteCookieError extends Error {
  override readonly name = 'CrossSiteCookieError';

  constructor() {
    super('The session cookie is never sent from a page of another site: log in with transport: BEARER');
  }
}
