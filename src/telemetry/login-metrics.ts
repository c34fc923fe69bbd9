import { Counter, type Registry } from 'prom-client';
import { RATE_LIMIT_REASONS } from '../errors/service-error.js';
import { type LoginWatch } from '../auth/login-limits.service.js';

/** Counts the logins that the limiter refused, and floods of failed logins: set an alert on those. */
export function showLogins(logins: LoginWatch, registry: Registry): void {
  new Counter({
    name: 'portico_logins_refused_total',
    help: 'Logins that were refused before the platform was called, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of RATE_LIMIT_REASONS) this.inc({ reason }, logins.refused(reason));
    },
  });
  new Counter({
    name: 'portico_login_floods_total',
    help: 'Floods of failed logins over all accounts and networks. Nobody is refused because of one.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(logins.floodCount);
    },
  });
}
