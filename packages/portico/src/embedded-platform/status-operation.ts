import { type Platform } from './platform.js';
import { type Answer, jsonAnswer } from './answer.js';

/** `GET status`. Below version 11.5.0600 some clients refuse the server or log in a second time. */
export function readStatus({ settings, startedAt }: Platform): Answer {
  const upTime = settings.now() - startedAt;
  return jsonAnswer(200, {
    upSince: startedAt,
    upTime,
    upTimeText: `${Math.floor(upTime / 1000)} seconds`,
    webVersion: '11.5.0900.00001',
    iServerVersion: '11.5.0900.00001',
    minMobileCompatibleVersion: '11.1.0000.0000',
  });
}
