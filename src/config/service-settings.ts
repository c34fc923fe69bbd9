import { IsIn, IsOptional } from 'class-validator';
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

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Words that are not files: a misspelled `off` would keep writing, and a misspelled `stdout` would write elsewhere.
 */
const NO_FILE = /^(?:stdout|stderr|console|syslog|on|off|true|false|yes|no|none|null|0|1|-)$/i;

function isAuditLog(value: unknown): boolean {
  return typeof value === 'string' && (value === 'stdout' || value === 'off' || !NO_FILE.test(value));
}

export class OperationsSettings {
  @Setting('`trace`, `debug`, `info`, `warn`, `error`, `fatal`, or `silent`: JSON lines on stdout')
  @IsIn(LOG_LEVELS)
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  @Setting(
    'the port on which `GET /metrics` answers in the Prometheus text format, on `METRICS_HOST`; if not set: no metrics; `0`: any free port',
    '9464',
  )
  @IsOptional()
  @WholeNumber(0, 65535)
  @Rule(
    'must not be the same port as PORT',
    (value, settings: ServiceSettings) => value === undefined || value === 0 || value !== settings.PORT,
  )
  METRICS_PORT?: number;

  @Setting(
    'the address on which `METRICS_PORT` listens; it has no authentication: keep it inside your network',
  )
  @Rule('must be an address or the name of one, without scheme and port', isListenAddress)
  METRICS_HOST = '127.0.0.1';

  @Setting('where the audit log goes: `stdout`, the path of a file, or `off`; see docs/audit.md')
  @Rule('must be stdout, off, or the path of a file; a file with such a name needs ./ in front', isAuditLog)
  AUDIT_LOG = 'stdout';

  @Setting(
    'how many seconds after SIGTERM or SIGINT the service keeps serving while `/readyz` answers 503, so that load balancers send new requests elsewhere; if not set: 5 in production, otherwise 0',
    '5',
  )
  @IsOptional()
  @WholeNumber(0, 300)
  SHUTDOWN_DELAY_SECONDS?: number;
}
