import { CommaList, isOrigin, Rule, WholeNumber } from '../checks/checks.js';
import { Setting } from '../checks/setting.js';

export class HttpSettings {
  @Setting(
    'exact origins, separated by commas, that browsers may call from with credentials',
    'https://dashboard.example',
  )
  @CommaList()
  @Rule(
    'must be a comma-separated list of exact origins such as https://dashboard.example',
    (value) => Array.isArray(value) && value.every(isOrigin),
  )
  CORS_ORIGINS: string[] = [];

  @Setting('maximum size of a request body, in bytes')
  @WholeNumber(1)
  HTTP_BODY_LIMIT_BYTES = 65536;

  @Setting('how many hops of `X-Forwarded-*` to trust')
  @WholeNumber(0, 16)
  TRUST_PROXY_HOPS = 0;
}
