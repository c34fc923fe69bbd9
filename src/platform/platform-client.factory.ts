import { PlatformClient, type PlatformClientOptions } from 'portico/client';
import { SettingsError } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';

/** The settings behind the options of the client, because an operator knows those names. */
const SETTING_OF_OPTION: Readonly<Record<string, string>> = {
  tlsVerify: 'PLATFORM_TLS_VERIFY must be the path of a bundle of PEM certificates',
  iserverMessages: 'ISERVER_MESSAGES_FILE must be a JSON object of messages by integer codes',
};

/** The one client of the service. */
export function platformClient(
  settings: Settings,
  baseUrl: string,
  observers: Pick<PlatformClientOptions, 'observeCall' | 'onCircuitChange' | 'onUnusableCookie'>,
): PlatformClient {
  const proxy = settings.platformProxy;
  try {
    return new PlatformClient({
      baseUrl,
      vendor: settings.PLATFORM_HEADER_VENDOR,
      maxRedirects: settings.PLATFORM_MAX_REDIRECTS,
      tlsVerify: settings.PLATFORM_TLS_VERIFY,
      timeoutMs: settings.PLATFORM_TIMEOUT_MS,
      maxResponseBytes: settings.PLATFORM_MAX_ANSWER_BYTES,
      ...(proxy === undefined ? {} : { proxy, noProxy: settings.NO_PROXY }),
      transport: settings.PLATFORM_TRANSPORT,
      applicationType: settings.PLATFORM_APPLICATION_TYPE,
      iserverMessages: settings.ISERVER_MESSAGES_FILE,
      circuitBreaker: true,
      ...observers,
    });
  } catch (fault) {
    // A TypeError of the client starts with the name of its option.
    const option = fault instanceof TypeError ? /^\w+/.exec(fault.message)?.[0] : undefined;
    const problem = option === undefined ? undefined : SETTING_OF_OPTION[option];
    throw problem === undefined ? fault : new SettingsError([problem]);
  }
}
