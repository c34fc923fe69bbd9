/**
 * The shop on Express. Without PLATFORM_BASE_URL it runs on the embedded platform, where `demo` / `demo` logs in.
 *
 *   npm run example:nest
 */
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { fromEnvironment } from 'portico-service';
import { ShopModule } from './shop.module.js';

const app = await NestFactory.create<NestExpressApplication>(
  ShopModule.with(fromEnvironment()),
  new ExpressAdapter(),
);
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3300), '127.0.0.1');
console.log(`The shop is at ${await app.getUrl()}/graphql`);
