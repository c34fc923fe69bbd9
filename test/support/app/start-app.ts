import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../../src/app/app.factory.js';
import { type GraphQLCaller, graphQLCaller } from '../graphql/graphql-caller.js';
import { LEDGER_LOG_LEVEL } from '../secrets/secret-ledger.js';
import { tempFolder } from '../temp-folder.js';

/** The service in this process, on a free port, over a store of its own. */
export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly graphql: GraphQLCaller;
  close(): Promise<void>;
}

/** @param environment settings besides the port, the store's folder and silence. */
export async function startApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const folder = await tempFolder();
  const app = await createApp({
    LOG_LEVEL: LEDGER_LOG_LEVEL ?? 'silent',
    AUDIT_LOG: LEDGER_LOG_LEVEL === undefined ? 'off' : 'stdout',
    SESSION_STORE_PATH: `${folder.path}/sessions.db`,
    // Long, so that a busy machine fails no test.
    PLATFORM_TIMEOUT_MS: '60000',
    REDIS_TIMEOUT_MS: '10000',
    ...environment,
  });
  const close = async (): Promise<void> => {
    await app.close();
    await folder.remove();
  };
  try {
    await app.listen({ host: '127.0.0.1', port: 0 });
  } catch (fault) {
    // Parts that had started before the fault would keep the test run alive.
    await close();
    throw fault;
  }
  const url = await app.getUrl();
  return { app, url, graphql: graphQLCaller(`${url}/graphql`), close };
}
