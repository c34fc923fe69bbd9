import { Wire } from '../../../packages/portico/test/embedded-platform/wire.js';

/** An identity token of the demo user, minted over the platform's own protocol. */
export async function mintIdentityToken(baseUrl: string): Promise<string> {
  const wire = new Wire(baseUrl);
  return wire.mintIdentityToken(await wire.loginAs('demo'));
}
