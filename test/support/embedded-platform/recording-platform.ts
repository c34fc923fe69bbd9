import { startWatchedPlatform, type WatchedPlatform } from './watched-platform.js';

/** An embedded platform behind a proxy that notes every secret that it hands out. */
export interface RecordingPlatform extends WatchedPlatform {
  /** The tokens and cookie values of all answers so far. */
  issuedSecrets(): string[];
  /** Requests so far. */
  calls(): number;
}

export async function startRecordingPlatform(): Promise<RecordingPlatform> {
  const secrets = new Set<string>();
  let calls = 0;
  const platform = await startWatchedPlatform({
    onCall: () => (calls += 1),
    onAnswer: ({ headers }) => {
      const token = headers['x-svc-authtoken'];
      if (typeof token === 'string') secrets.add(token);
      for (const cookie of headers['set-cookie'] ?? []) {
        const value = /^[^=]+=([^;]*)/.exec(cookie)?.[1];
        if (value) secrets.add(value);
      }
    },
  });
  return { ...platform, issuedSecrets: () => [...secrets], calls: () => calls };
}
