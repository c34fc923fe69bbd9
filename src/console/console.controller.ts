import { Controller, Get, Param, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Settings } from '../config/settings.js';
import { consoleFile } from './console-files.js';

/** Everything is loaded from here and from no other host; the editor writes its own inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = 'index.html';

/** A page to try queries, with a login panel. Available wherever introspection is on and any document may run. */
@Controller()
export class ConsoleController {
  constructor(private readonly settings: Settings) {}

  @Get()
  page(@Res() reply: FastifyReply): Promise<void> {
    return this.send(PAGE, reply);
  }

  @Get('console/:file')
  file(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    return this.send(file, reply);
  }

  private async send(name: string, reply: FastifyReply): Promise<void> {
    const file = this.settings.hasConsole ? await consoleFile(name) : undefined;
    if (file === undefined) {
      reply.callNotFound();
      return;
    }
    const content = name === PAGE ? withSettings(file.content, this.settings) : file.content;
    await reply
      .header('content-type', file.type)
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(content);
  }
}

/**
 * The page must use the root field names of this service, and shows the demo login if there is one. The setting's check
 * ensures that the prefix has only letters and digits.
 */
function withSettings(page: Buffer, { FIELD_PREFIX = '', usesEmbeddedPlatform }: Settings): string {
  return page
    .toString()
    .replace('data-field-prefix=""', `data-field-prefix="${FIELD_PREFIX}"`)
    .replace('data-demo=""', `data-demo="${usesEmbeddedPlatform ? 'demo' : ''}"`);
}
