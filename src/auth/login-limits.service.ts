import { Inject, Injectable } from '@nestjs/common';
import { LoginFailedError } from '../client/index.js';
import { Settings } from '../config/settings.js';
import { FailureCounter } from '../session/store/failure-counter.js';
import { LoginLimiter } from './login-limiter.js';
import { accountKey, addressKey } from './login-subject.js';

/** How many failures one address, and all callers together, may have for each that one account may have. */
const ADDRESS_FACTOR = 5;
const GLOBAL_FACTOR = 100;

/** How many logins may fail: of one account, from one address, and in all. */
@Injectable()
export class LoginLimits {
  private readonly limiter: LoginLimiter;

  constructor(
    private readonly settings: Settings,
    @Inject(FailureCounter) counter: FailureCounter,
  ) {
    this.limiter = new LoginLimiter(counter);
  }

  /**
   * Makes one attempt to log in. An attempt without an account, such as by a key or a token, counts against its address.
   *
   * @throws RateLimitedError before any call
   */
  attempt<T>(address: string, account: string | undefined, work: () => Promise<T>): Promise<T> {
    const perAccount = this.settings.LOGIN_FAILURES_PER_MINUTE;
    const allowances = [
      ...(account === undefined ? [] : [{ key: accountKey(account), failures: perAccount }]),
      { key: addressKey(address), failures: perAccount * ADDRESS_FACTOR },
      { key: 'all', failures: perAccount * GLOBAL_FACTOR },
    ];
    return this.limiter.attempt(allowances, work, (error) => error instanceof LoginFailedError);
  }
}
