import { type Settings } from '../config/settings.js';
import { platformClient } from '../platform/platform-client.factory.js';
import { probePlatform } from '../platform/probe.js';
import { type Finding } from './finding.js';
import { type Installation } from './installation.js';
import { lookAtStore } from './look-at-store.js';
import { lookAtCertificate } from './look-at-certificate.js';
import { lookAtLogin, type DoctorLogin } from './look-at-login.js';
import { lookAtPlatform } from './look-at-platform.js';

/** Looks at settings, store and platform, in the order in which they depend on each other. */
export async function examine(
  { settings, environment, findings }: Installation,
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  if (settings === undefined) return [...findings];
  return [
    ...findings,
    ...(await lookAtStore(settings)),
    ...(await examinePlatform(settings, environment, login)),
  ];
}

async function examinePlatform(
  settings: Settings,
  environment: Installation['environment'],
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  const { PLATFORM_BASE_URL: baseUrl } = settings;
  if (baseUrl === undefined) {
    const found = 'PLATFORM_BASE_URL is not set: the service runs the embedded platform';
    return [{ what: 'platform', state: 'skipped', found }];
  }
  const clientFor = (url: string): ReturnType<typeof platformClient> => platformClient(settings, url, {});
  const client = clientFor(baseUrl);
  try {
    const result = await probePlatform({ client, settings, clientFor });
    const isThere = result.version !== undefined;
    return [
      ...lookAtPlatform(baseUrl, result),
      ...(await lookAtCertificate(baseUrl, settings)),
      ...(isThere ? await lookAtLogin(client, settings, environment, login) : []),
    ];
  } finally {
    await client.close();
  }
}
