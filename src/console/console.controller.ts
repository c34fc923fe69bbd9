import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { type FastifyReply } from 'fastify';
import { Settings } from '../config/settings.js';
import { EmbeddedPlatform, type RunningPlatform } from '../platform/platform.module.js';
import { Assets } from './assets.js';
import { clientSchema } from './client-schema.js';
import { withSettings } from './page-settings.js';

/** Everything is loaded from here and from no other host; the editor sets inline styles, but adds no style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The name of an asset has the hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'private, no-cache';

/** A page to try queries, with a session panel. Available wherever introspection is on and any document may run. */
@Controller()
export class ConsoleController {
  readonly #assets = new Assets(new URL('../../public/console/', import.meta.url));

  constructor(
    private readonly settings: Settings,
    @Inject(EmbeddedPlatform) private readonly embedded: RunningPlatform | undefined,
    private readonly modules: ModuleRef,
  ) {}

  @Get()
  async page(@Res() reply: FastifyReply, @Headers('if-none-match') known?: string): Promise<void> {
    if (!this.#isThere(reply)) return;
    const { FIELD_PREFIX: fieldPrefix = '', ANONYMOUS_LOGIN: guests, usesEmbeddedPlatform } = this.settings;
    const demo = usesEmbeddedPlatform ? this.embedded?.demoLogins : undefined;
    const page = withSettings(await this.#assets.page(), { fieldPrefix, guests, demo });
    const tag = `"${createHash('sha256').update(page).digest('base64url')}"`;
    void reply
      .type('text/html; charset=utf-8')
      .headers({ etag: tag, 'cache-control': ASK_FIRST, 'referrer-policy': 'no-referrer' })
      .header('content-security-policy', CONTENT_SECURITY_POLICY);
    await send(reply, page, known === tag);
  }

  @Get('console/schema.graphql')
  async schema(@Res() reply: FastifyReply): Promise<void> {
    if (!this.#isThere(reply)) return;
    const { schema } = this.modules.get(GraphQLSchemaHost, { strict: false });
    await reply
      .type('application/graphql; charset=utf-8')
      .headers({
        'content-disposition': 'attachment; filename="portico.graphql"',
        'cache-control': ASK_FIRST,
      })
      .send(clientSchema(schema));
  }

  @Get('console/:name')
  async asset(
    @Param('name') name: string,
    @Res() reply: FastifyReply,
    @Headers('accept-encoding') acceptEncoding?: string,
    @Headers('if-none-match') known?: string,
  ): Promise<void> {
    if (!this.#isThere(reply)) return;
    const asset = await this.#assets.asset(name, acceptEncoding);
    if (asset === undefined) {
      reply.callNotFound();
      return;
    }
    const tag = `"${name}-${asset.encoding ?? 'identity'}"`;
    void reply.type(asset.type).headers({ etag: tag, 'cache-control': FOR_EVER, vary: 'accept-encoding' });
    if (asset.encoding !== undefined) void reply.header('content-encoding', asset.encoding);
    await send(reply, asset.content, known === tag);
  }

  #isThere(reply: FastifyReply): boolean {
    if (!this.settings.hasConsole) reply.callNotFound();
    return this.settings.hasConsole;
  }
}

async function send(reply: FastifyReply, content: string | Buffer, isKnown: boolean): Promise<void> {
  if (isKnown) await reply.code(304).send();
  else await reply.send(content);
}
