import { isReadableFile } from '../config/file-checks.js';
import { PlatformClient, type PlatformClientOptions } from 'portico/client';
import { type Settings } from '../config/settings.js';

/** The problems of the files that the client reads, each with its setting. */
export async function problemsInPlatformFiles(settings: Settings): Promise<string[]> {
  const { PLATFORM_TLS_VERIFY: tlsVerify, ISERVER_MESSAGES_FILE: iserverMessages } = settings;
  const problems: string[] = [];
  if (isReadableFile(tlsVerify) && !(await isUsable({ tlsVerify }))) {
    problems.push('PLATFORM_TLS_VERIFY must be the path of a bundle of PEM certificates');
  }
  if (isReadableFile(iserverMessages) && !(await isUsable({ iserverMessages }))) {
    problems.push('ISERVER_MESSAGES_FILE must be a JSON object of messages by integer codes');
  }
  return problems;
}

/** Whether a client can be made with an option; no call is made. */
async function isUsable(
  option: Pick<PlatformClientOptions, 'tlsVerify' | 'iserverMessages'>,
): Promise<boolean> {
  try {
    await new PlatformClient({ baseUrl: 'http://localhost/', ...option }).close();
    return true;
  } catch (fault) {
    if (fault instanceof TypeError) return false;
    throw fault;
  }
}
