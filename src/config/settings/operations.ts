import { IsIn, IsOptional, IsString } from 'class-validator';
import { Rule, WholeNumber } from '../checks/checks.js';
import { Setting } from '../checks/setting.js';
import { type ServiceSettings } from './service.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

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

  @Setting('the address of `METRICS_PORT`; it has no authentication: keep it inside the network')
  @IsString()
  METRICS_HOST = '127.0.0.1';

  @Setting('where the audit log goes: `stdout`, the path of a file, or `off`; see docs/audit.md')
  @IsString()
  AUDIT_LOG = 'stdout';

  @Setting(
    'for how many seconds after SIGTERM or SIGINT the service keeps serving while `/readyz` answers 503, so that balancers send new requests elsewhere; if not set: 5 in production, else 0',
    '5',
  )
  @IsOptional()
  @WholeNumber(0, 300)
  SHUTDOWN_DELAY_SECONDS?: number;
}
