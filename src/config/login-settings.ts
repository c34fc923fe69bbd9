import { Flag, LONGEST_TIMER_MS, ReadableFile, WholeNumber } from './checks.js';
import { Setting } from './setting.js';

export class LoginSettings {
  @Setting(
    'a YAML file of credential profiles; a valid change takes effect without a restart; see docs/credentials.md',
    '/etc/portico/profiles.yaml',
  )
  @ReadableFile()
  CREDENTIALS_FILE?: string;

  @Setting('`true` or `false`: whether a login without credentials is allowed (mode 8)')
  @Flag()
  ANONYMOUS_LOGIN = true;

  @Setting(
    '`true` or `false`: whether the mutation `identityToken` creates tokens with which other clients can join a session',
  )
  @Flag()
  IDENTITY_TOKENS = false;

  @Setting(
    'how many seconds the platform accepts an identity token, used for its `expiresAt`; the platform does not report it',
  )
  @WholeNumber(1, 86_400)
  IDENTITY_TOKEN_SECONDS = 60;

  @Setting(
    'failed logins per minute to one account from one network before `RATE_LIMITED`; after five times as many to one account, or from one network, further attempts are delayed; see docs/operations.md',
  )
  @WholeNumber(1)
  LOGIN_FAILURES_PER_MINUTE = 10;

  @Setting(
    'logins per minute from one network, successful ones included, before `RATE_LIMITED`; `0`: no limit. Behind a proxy, set `TRUSTED_PROXIES` first',
  )
  @WholeNumber(0)
  LOGIN_RATE_PER_ADDRESS = 0;

  @Setting('the longest time that a login waits for its turn, in milliseconds, before `RATE_LIMITED`')
  @WholeNumber(1, LONGEST_TIMER_MS)
  LOGIN_WAIT_MS = 15_000;
}
