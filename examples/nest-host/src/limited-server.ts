import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  allowOrigins,
  limitLoad,
  type Load,
  type LoadOptions,
  readCallers,
  readJsonBodies,
} from 'portico-service';

const MOST_BYTES = 65_536;

/** A Fastify server with the limits of the standalone service, in the order in which a request meets them. */
export async function limitedServer(
  limits: Pick<LoadOptions, 'inFlight' | 'perSession'>,
): Promise<{ adapter: FastifyAdapter; load: Load }> {
  const adapter = new FastifyAdapter({ bodyLimit: MOST_BYTES });
  const server = adapter.getInstance();
  readCallers(server, {
    sessionHeader: 'authorization',
    isRouter: () => false,
    allowsHost: () => true,
    trustsProxies: false,
  });
  await allowOrigins(server, { origins: ['https://shop.example'], requestHeaders: ['authorization'] });
  const load = limitLoad(server, {
    ...limits,
    trustsProxies: false,
    logoutHashes: [],
    isStopping: () => false,
  });
  // Instead of Nest's own parser: create the application with `bodyParser: false`.
  readJsonBodies(server, load.admit);
  return { adapter, load };
}
