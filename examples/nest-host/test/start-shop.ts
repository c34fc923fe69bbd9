import { type INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { randomBytes } from 'node:crypto';
import { type PorticoOptions } from 'portico-service';
import { startEmbeddedPlatform } from 'portico/embedded-platform';
import { MemoryStore } from '../src/memory-store.js';
import { ShopModule } from '../src/shop.module.js';

export type Adapter = 'express' | 'fastify';

/** The shop on a platform and a store of its own. */
export interface RunningShop {
  readonly app: INestApplication;
  readonly url: string;
  ask(query: string, headers?: Record<string, string>): Promise<ShopAnswer>;
  close(): Promise<void>;
}

export interface ShopAnswer {
  readonly headers: Headers;
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says what it expects of the data
  readonly data: any;
  readonly errors: readonly { message: string; extensions: Record<string, unknown> }[] | undefined;
}

export const LIFE = { idleSeconds: 60, maxSeconds: 600 };
export const KEYS = `shop:${randomBytes(32).toString('base64')}`;

export async function startShop(
  adapter: Adapter,
  { platform: given, ...options }: PorticoOptions = {},
  prepare: (app: INestApplication) => void = () => undefined,
): Promise<RunningShop> {
  const platform = given === undefined ? await startEmbeddedPlatform() : undefined;
  const module = ShopModule.with({
    platform: given ?? { baseUrl: platform?.baseUrl },
    sessions: { keys: KEYS },
    stores: { sessions: new MemoryStore(LIFE) },
    ...options,
  });
  const testing = await Test.createTestingModule({ imports: [module] }).compile();
  const app = testing.createNestApplication(
    adapter === 'express' ? new ExpressAdapter() : new FastifyAdapter(),
    {
      logger: false,
    },
  );
  prepare(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    url,
    ask: async (query, headers = {}) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as Pick<ShopAnswer, 'data' | 'errors'>;
      return { status: response.status, headers: response.headers, data, errors };
    },
    close: async () => {
      await app.close();
      await platform?.close();
    },
  };
}
