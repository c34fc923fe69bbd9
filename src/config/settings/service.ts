import { IsString } from 'class-validator';
import { WholeNumber } from '../checks/checks.js';
import { Setting } from '../checks/setting.js';

export class ServiceSettings {
  @Setting('`production` turns on the safe defaults: no introspection, no embedded platform, keys required')
  @IsString()
  NODE_ENV = 'development';

  @Setting('the address on which the service listens')
  @IsString()
  HOST = '127.0.0.1';

  @Setting('the port on which the service listens; `0`: any free port')
  @WholeNumber(0, 65535)
  PORT = 3000;
}

export function isProduction({ NODE_ENV }: Pick<ServiceSettings, 'NODE_ENV'>): boolean {
  return NODE_ENV === 'production';
}
