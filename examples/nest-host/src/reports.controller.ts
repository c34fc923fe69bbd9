import {
  Controller,
  Get,
  NotFoundException,
  Param,
  Post,
  StreamableFile,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { Readable } from 'node:stream';
import {
  PorticoExceptionFilter,
  type RequestContext,
  Session,
  SessionGuard,
  SessionService,
} from 'portico-service';
import { REPORTS } from './report.model.js';

/** Routes of the shop that need a session. */
@Controller('reports')
@UseGuards(SessionGuard)
@UseFilters(PorticoExceptionFilter)
export class ReportsController {
  constructor(private readonly sessions: SessionService) {}

  /** Streams a file. The platform is not asked. */
  @Get(':id/file')
  file(@Param('id') id: string): StreamableFile {
    const report = REPORTS.find((each) => each.id === id);
    if (report === undefined) throw new NotFoundException();
    const lines = Readable.from([`${report.title}\n`, 'region,sales\n', 'north,12\n']);
    return new StreamableFile(lines, { type: 'text/csv' });
  }

  /** Asks the platform. If that fails, the filter answers. */
  @Get('owner')
  async owner(@Session() session: RequestContext): Promise<{ name: string | null | undefined }> {
    const user = await this.sessions.read(session, 'getUserInfo', (platform, call) =>
      platform.getUserInfo(call),
    );
    return { name: user.fullName };
  }

  /** Makes something on the platform, so that nobody else gets this answer. */
  @Post('share')
  async share(@Session() session: RequestContext): Promise<{ token: string }> {
    const token = await this.sessions.use(session, (platform, call) => platform.createIdentityToken(call));
    return { token };
  }

  /** Changes something, so that a page of a foreign site must not be able to send it. */
  @Post('leave')
  async leave(@Session() session: RequestContext): Promise<{ platformLoggedOut: boolean }> {
    return { platformLoggedOut: await this.sessions.end(session) };
  }
}
