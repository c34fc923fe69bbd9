import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { type FastifyReply } from 'fastify';
import { Settings } from '../config/settings.js';
import { EmbeddedPlatform, type RunningPlatform } from '../platform/platform.module.js';
import { type GraphQLSchema, Kind, parse, print, printSchema, visit } from 'graphql';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

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
    const { ANONYMOUS_LOGIN: guests, usesEmbeddedPlatform } = this.settings;
    const { field: fieldPrefix = '', type: typePrefix = '' } = this.settings.namePrefixes;
    const demo = usesEmbeddedPlatform ? this.embedded?.demoLogins : undefined;
    const page = withSettings(await this.#assets.page(), { fieldPrefix, typePrefix, guests, demo });
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

/** What the page has to know about the service that serves it. */
export interface PageSettings {
  /** The prefix of the root fields; empty without one. */
  readonly fieldPrefix: string;
  /** The prefix of the types; empty without one. */
  readonly typePrefix: string;
  /** Whether a login without credentials is allowed. */
  readonly guests: boolean;
  /** The logins of the embedded platform, if that one is used; they are not secrets. */
  readonly demo:
    | {
        readonly password: string;
        readonly apiKey: string;
        readonly users: readonly { readonly username: string; readonly shows: string }[];
      }
    | undefined;
}

const PLACE = 'data-settings=""';

/** The page with its settings, in an attribute: a script in the page would need a policy that allows some. */
export function withSettings(page: string, settings: PageSettings): string {
  if (!page.includes(PLACE)) throw new Error('The console page has no place for its settings');
  return page.replace(PLACE, () => `data-settings="${escaped(JSON.stringify(settings))}"`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** What federation adds for routers; callers have no use for it. */
const FEDERATION_NAMES = /^(_|federation__|link__)/;

/**
 * The SDL of a schema as clients need it: without federation's types, fields and directives, so that every tool
 * reads it.
 */
export function clientSchema(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(schema)), {
    DirectiveDefinition: () => null,
    enter: (node) => {
      const isDefinition = node.kind === Kind.FIELD_DEFINITION || node.kind.endsWith('TypeDefinition');
      return isDefinition && 'name' in node && FEDERATION_NAMES.test(node.name?.value ?? '')
        ? null
        : undefined;
    },
  });
  return `${print(document)}\n`;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
/** Best first, with the ending of the file that the build has compressed. */
const ENCODINGS = [
  ['br', 'br'],
  ['gzip', 'gz'],
] as const;

/** One file of the console, as it is sent. */
interface Asset {
  readonly type: string;
  /** Undefined if the caller accepts no compressed answer. */
  readonly encoding: string | undefined;
  readonly content: Buffer;
}

/**
 * The files that the build has put into a folder. No other file is read, even if the path names
 * one.
 */
class Assets {
  #names: Promise<readonly string[]> | undefined;

  readonly #folder: URL;

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** The page itself, before the settings of the service are in it. */
  page(): Promise<string> {
    return readFile(new URL('index.html', this.#folder), 'utf8');
  }

  /** @param acceptEncoding the header of that name. @returns undefined if there is no such file. */
  async asset(name: string, acceptEncoding: string | undefined): Promise<Asset | undefined> {
    this.#names ??= readFile(new URL('assets.json', this.#folder), 'utf8').then(
      (list) => JSON.parse(list) as readonly string[],
    );
    if (!(await this.#names).includes(name)) return undefined;
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    const encoding = ENCODINGS.find(([coding]) => accepts(acceptEncoding, coding));
    const content = await readFile(new URL(`${name}.${encoding?.[1] ?? 'gz'}`, this.#folder));
    if (encoding === undefined) return { type, encoding, content: await promisify(gunzip)(content) };
    return { type, encoding: encoding[0], content };
  }
}

/** RFC 9110, 12.5.3: what is not named is not accepted, unless `*` is; a weight of zero refuses. */
function accepts(header: string | undefined, coding: string): boolean {
  const weights = new Map<string, boolean>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    weights.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return weights.get(coding) ?? weights.get('*') ?? false;
}
