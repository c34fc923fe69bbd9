import { IsIn } from 'class-validator';
import { Rule, WholeNumber } from './checks.js';
import { isListenAddress } from './network-checks.js';
import { Setting } from './setting.js';

/** Any other value, such as `Production` or `staging`, would turn the safe defaults off. */
const ENVIRONMENTS = ['production', 'development', 'test'] as const;

export class ServiceSettings {
  @Setting(
    '`production` turns on the safe defaults: no introspection, no embedded platform, keys required; or `development`, or `test`',
  )
  @IsIn(ENVIRONMENTS, { message: `$property must be one of: ${ENVIRONMENTS.join(', ')}` })
  NODE_ENV: (typeof ENVIRONMENTS)[number] = 'development';

  @Setting('the address on which the service listens')
  @Rule('must be an address or the name of one, without scheme and port', isListenAddress)
  HOST = '127.0.0.1';

  @Setting('the port on which the service listens; `0`: any free port')
  @WholeNumber(0, 65535)
  PORT = 3000;
}

export function isProduction({ NODE_ENV }: Pick<ServiceSettings, 'NODE_ENV'>): boolean {
  return NODE_ENV === 'production';
}
