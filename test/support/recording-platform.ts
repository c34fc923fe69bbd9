import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { startPlatform } from './start-platform.js';

/** An embedded platform behind a proxy that notes every secret that it hands out. */
export interface RecordingPlatform {
  readonly baseUrl: string;
  /** The tokens and cookie values of all answers so far. */
  issuedSecrets(): string[];
  /** Requests so far. */
  calls(): number;
  close(): Promise<void>;
}

export async function startRecordingPlatform(): Promise<RecordingPlatform> {
  const platform = await startPlatform();
  const { hostname, port, pathname } = new URL(platform.baseUrl);
  const secrets = new Set<string>();
  let calls = 0;
  const proxy = createServer((incoming, outgoing) => {
    calls += 1;
    const { method, url, headers } = incoming;
    const forward = request({ hostname, port, method, path: url, headers }, (answer) => {
      const token = answer.headers['x-svc-authtoken'];
      if (typeof token === 'string') secrets.add(token);
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        const value = /^[^=]+=([^;]*)/.exec(cookie)?.[1];
        if (value) secrets.add(value);
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    issuedSecrets: () => [...secrets],
    calls: () => calls,
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await platform.close();
    },
  };
}
