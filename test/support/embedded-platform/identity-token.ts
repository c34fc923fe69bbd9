/** An identity token of the demo user, minted over the platform's own protocol. */
export async function mintIdentityToken(baseUrl: string): Promise<string> {
  const login = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'demo', password: 'demo', loginMode: 1, applicationType: 8 }),
  });
  const minted = await fetch(`${baseUrl}/auth/identityToken`, {
    method: 'POST',
    headers: {
      'X-SVC-AuthToken': login.headers.get('x-svc-authtoken') ?? '',
      cookie: login.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
  });
  const token = minted.headers.get('x-svc-identitytoken');
  if (minted.status !== 201 || token === null) throw new Error(`no identity token: ${minted.status}`);
  return token;
}
