import { WholeNumber } from '../checks/checks.js';
import { ReadableFile } from '../checks/file-checks.js';
import { Setting } from '../checks/setting.js';

export class LoginSettings {
  @Setting(
    'a YAML file of credential profiles; a valid change takes effect without a restart; see docs/credentials.md',
    '/etc/portico/profiles.yaml',
  )
  @ReadableFile()
  CREDENTIALS_FILE?: string;

  @Setting(
    'failed logins per minute and account before `RATE_LIMITED`; five times as many per address; successful logins are not limited',
  )
  @WholeNumber(1)
  LOGIN_FAILURES_PER_MINUTE = 10;
}
