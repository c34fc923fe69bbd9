import { afterEach, describe, expect, it } from 'vitest';
import { Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { PorticoExceptionFilter, porticoLogger, type PorticoOptions } from 'portico-service';
import { startEmbeddedPlatform } from 'portico/embedded-platform';
import { redisMissing, startRedis } from '../../../test/support/session/start-redis.js';
import { limitedServer } from '../src/limited-server.js';
import { MemoryStore } from '../src/memory-store.js';
import { ShopModule } from '../src/shop.module.js';
import { KEYS, LIFE, startShop } from './start-shop.js';

const LOGIN =
  'mutation { login(input: { username: "demo", password: "demo", transport: BEARER }) { handle } }';

const withRedis = redisMissing === undefined ? it : it.skip;

describe('a shop that brings parts of its own', () => {
  withRedis(`keeps the sessions in its own Redis (${redisMissing ?? 'that the test starts'})`, async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url, { keyPrefix: 'shop:' });
    const shop = await startShop('express', { stores: { redis: client } });
    try {
      const { data } = await shop.ask(LOGIN);
      const headers = { authorization: `Bearer ${String(data.login.handle)}` };
      expect((await shop.ask('{ greeting }', headers)).data).toEqual({ greeting: 'You came by bearer.' });
      expect(await redis.admin.keys('shop:portico:session:*')).toHaveLength(1);
      // The connection of the shop is only read.
      expect(client.status).toBe('ready');
    } finally {
      await shop.close();
      expect(client.status).toBe('ready');
      client.disconnect();
      await redis.close();
    }
  });

  describe('a logger', () => {
    afterEach(() => {
      Logger.overrideLogger(false);
    });

    it('gets the lines of Portico in its own pino, with their fields', async () => {
      const lines: string[] = [];
      const own = pino({ base: { app: 'shop' } }, { write: (line) => lines.push(line) });
      const shop = await startShop('express');
      try {
        shop.app.useLogger(porticoLogger(own));
        Logger.warn('A session was refused', 'Portico');
        expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
          expect.objectContaining({ app: 'shop', context: 'Portico', msg: 'A session was refused' }),
        );
      } finally {
        await shop.close();
      }
    });
  });

  it('limits its own Fastify server as the standalone service does', async () => {
    const platform = await startEmbeddedPlatform();
    const { adapter, load } = await limitedServer({ inFlight: 4, perSession: 2 });
    const options: PorticoOptions = {
      platform: { baseUrl: platform.baseUrl },
      sessions: { keys: KEYS },
      stores: { sessions: new MemoryStore(LIFE) },
      load,
    };
    const testing = await Test.createTestingModule({ imports: [ShopModule.with(options)] }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(adapter, {
      logger: false,
      bodyParser: false,
    });
    // Answers what the limits refuse.
    app.useGlobalFilters(new PorticoExceptionFilter(app.get(HttpAdapterHost)));
    await app.listen(0, '127.0.0.1');
    const ask = async (body: unknown): Promise<{ status: number; text: string }> => {
      const response = await fetch(`${await app.getUrl()}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    try {
      expect(await ask({ query: LOGIN })).toMatchObject({
        status: 200,
        text: expect.stringContaining('handle'),
      });
      expect((await ask({ query: LOGIN, padding: 'x'.repeat(70_000) })).status).toBe(413);
      const many = await Promise.all(Array.from({ length: 200 }, () => ask({ query: '{ hasSession }' })));
      expect(new Set(many.map(({ status }) => status))).toContain(503);
      expect(many.find(({ status }) => status === 503)?.text).toContain('OVERLOADED');
    } finally {
      await app.close();
      await platform.close();
    }
  });
});
