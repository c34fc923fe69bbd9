import { IsIn } from 'class-validator';
import { Matching, WholeNumber, WithoutFinalSlash } from './checks.js';
import { Setting } from './setting.js';

export class EmbeddedPlatformSettings {
  @Setting('`auto` (only without a base URL and not in production), `on`, or `off`')
  @IsIn(['auto', 'on', 'off'])
  EMBEDDED_PLATFORM: 'auto' | 'on' | 'off' = 'auto';

  @Setting(
    'the port of the embedded platform, always on loopback; `0`: any free port (`npm run platform`: 3100)',
  )
  @WholeNumber(0, 65535)
  EMBEDDED_PLATFORM_PORT = 0;

  @Setting('the context path of the embedded platform')
  @WithoutFinalSlash()
  @Matching(/^(\/[A-Za-z0-9._-]+)+$/, 'must be a path such as /api')
  EMBEDDED_PLATFORM_PATH = '/api';

  @Setting('seconds without use after which a session of the embedded platform times out')
  @WholeNumber(1, 365 * 24 * 3600)
  EMBEDDED_PLATFORM_IDLE_SECONDS = 1800;
}
