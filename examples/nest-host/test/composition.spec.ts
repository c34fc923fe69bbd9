import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  ValidationPipe,
} from '@nestjs/common';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type Observable, tap } from 'rxjs';
import { type PorticoContext } from 'portico-service';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { NightlyService } from '../src/nightly.service.js';
import { type Adapter, type RunningShop, startShop } from './start-shop.js';

const LOGIN = 'mutation { login(input: { username: "demo", password: "demo" }) { expiresAt } }';
const BY_BEARER = LOGIN.replace('"demo" })', '"demo", transport: BEARER })').replace('expiresAt', 'handle');

/** Notes each resolver and route that it has seen, and sets a cookie of the shop. */
@Injectable()
class Journal implements NestInterceptor {
  readonly seen: string[] = [];

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.seen.push(`${execution.getType<string>()} ${execution.getHandler().name}`);
    if (execution.getType<string>() !== 'graphql') return next.handle();
    const { res } = execution.getArgByIndex<PorticoContext>(2);
    return next.handle().pipe(
      tap(() => {
        if (res.raw === undefined) res.appendHeader('set-cookie', 'shop=north');
        else res.header?.('set-cookie', 'shop=north');
      }),
    );
  }
}

/** Nobody may log in while the shop is closed. */
@Injectable()
class OpeningHours implements CanActivate {
  isClosed = false;

  canActivate(): boolean {
    return !this.isClosed;
  }
}

describe.each<Adapter>(['express', 'fastify'])('what a shop on %s has of its own', (adapter) => {
  const journal = new Journal();
  const hours = new OpeningHours();
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let shop: RunningShop;
  beforeAll(async () => {
    folder = await tempFolder();
    const file = `${folder.path}/profiles.yaml`;
    await writeFile(`${folder.path}/password`, 'demo');
    await writeFile(
      file,
      `profiles:
  nightly:
    username: { store: file, path: ${folder.path}/password }
    password: { store: file, path: ${folder.path}/password }
    profileKeySha256: ${createHash('sha256').update('key').digest('hex')}
`,
    );
    shop = await startShop(adapter, { credentials: { file } }, (app) => {
      app.useGlobalInterceptors(journal);
      app.useGlobalGuards(hours);
      app.useGlobalPipes(
        new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
      );
    });
  });
  afterAll(async () => {
    await shop.close();
    await folder.remove();
  });

  it('runs for the resolvers of Portico too: interceptors, guards and pipes', async () => {
    await shop.ask('{ hasSession projects { id } }');
    expect(journal.seen).toEqual(expect.arrayContaining(['graphql hasSession', 'graphql projects']));

    hours.isClosed = true;
    const { errors } = await shop.ask(LOGIN, { origin: shop.url });
    hours.isClosed = false;
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', from: 'shop' });
    expect((await shop.ask(BY_BEARER)).data.login.handle).toHaveLength(43);
  });

  it('keeps its own cookies beside that of the session', async () => {
    const { headers } = await shop.ask(LOGIN, { origin: shop.url });
    const names = headers.getSetCookie().map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['__Host-portico', 'shop']);
  });

  it('uses the platform by the session of a caller, and by a profile', async () => {
    const { data } = await shop.ask(BY_BEARER);
    const response = await fetch(`${shop.url}/reports/share`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(data.login.handle)}` },
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ token: expect.any(String) });
    expect(await shop.app.get(NightlyService).countProjects()).toBe(12);
  });
});
