import { Matching, WholeNumber } from '../checks/checks.js';
import { Secret, Setting } from '../checks/setting.js';

export class FederationSettings {
  @Setting(
    'if set, `_service` and `_entities` require it in the header `X-Federation-Secret`; if not set, they are off in production',
    '<the output of: openssl rand -base64 32>',
  )
  @Secret()
  @Matching(
    /^[\x21-\x7e]{16,1024}$/,
    'must be 16 to 1024 printable ASCII characters without spaces, so that it cannot be guessed and a header can carry it',
  )
  FEDERATION_SECRET?: string;

  @Setting('how many entities one operation may request by their keys')
  @WholeNumber(1, 10_000)
  FEDERATION_MAX_REPRESENTATIONS = 100;

  @Setting(
    'prefix of the root fields, for graphs where `me` and `projects` are taken: with `analytics` they are `analyticsMe` and `analyticsProjects`',
    'analytics',
  )
  @Matching(
    /^[A-Za-z][A-Za-z0-9]{0,31}$/,
    'must be a letter followed by letters or digits, at most 32 in all',
  )
  FIELD_PREFIX?: string;
}
