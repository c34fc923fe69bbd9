import { CommaList, isOrigin, Rule, WholeNumber } from './checks.js';
import { isHeaderName, isHostName, isProxy } from './network-checks.js';
import { Setting } from './setting.js';

export class HttpSettings {
  @Setting(
    'the exact origins from which browsers may call with credentials, separated by commas',
    'https://dashboard.example',
  )
  @CommaList()
  @Rule(
    'must be a comma-separated list of exact origins such as https://dashboard.example',
    (value) => Array.isArray(value) && value.every(isOrigin),
  )
  CORS_ORIGINS: string[] = [];

  @Setting('maximum size of a request body, in bytes')
  @WholeNumber(16)
  HTTP_BODY_LIMIT_BYTES = 65536;

  @Setting('maximum number of requests in flight, from all callers; fewer while the process is busy')
  @WholeNumber(1)
  MAX_IN_FLIGHT = 4096;

  @Setting('maximum number of requests in flight from one session')
  @WholeNumber(1)
  MAX_IN_FLIGHT_PER_SESSION = 128;

  @Setting(
    'additional request headers that pages of `CORS_ORIGINS` may set, separated by commas',
    'baggage,sentry-trace',
  )
  @CommaList()
  @Rule(
    'must be a comma-separated list of header names',
    (value) => Array.isArray(value) && value.every(isHeaderName),
  )
  CORS_HEADERS: string[] = [];

  @Setting(
    'the proxies whose `X-Forwarded-*` headers are trusted: addresses, networks such as `10.0.0.0/8`, `loopback`, `private`, separated by commas',
    'loopback,10.0.0.0/8',
  )
  @CommaList()
  @Rule(
    'must be a comma-separated list of addresses, networks such as 10.0.0.0/8, loopback and private',
    (value) => Array.isArray(value) && value.every(isProxy),
  )
  TRUSTED_PROXIES: string[] = [];

  @Setting(
    'the host names by which the service may be called, without ports, separated by commas; if not set: `localhost` and the addresses of loopback where `HOST` is one of them, otherwise any',
    'graph.example',
  )
  @CommaList()
  @Rule(
    'must be a comma-separated list of host names in lower case, without ports',
    (value) => Array.isArray(value) && value.every(isHostName),
  )
  ALLOWED_HOSTS: string[] = [];
}
