import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { freePort } from '../free-port.js';
import { tempFolder } from '../temp-folder.js';

/** A proxy of the system in front of instances of the service, as its package configures it. */
export interface StockProxy {
  readonly url: string;
  close(): Promise<void>;
}

export type ProxyName = 'nginx' | 'haproxy';

/** Undefined where it can be run; else why not, for the title of what is skipped. */
export function proxyMissing(name: ProxyName): string | undefined {
  return spawnSync(name, ['-v']).status === 0 ? undefined : `${name} is not installed`;
}

/** By default a check may take as long as lies between two: on a busy machine an instance that is slow would be left out. */
const PATIENT_CHECKS = 'timeout check 20s';

const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** @param ports of the instances, on loopback. */
export function startProxy(name: ProxyName, ports: readonly number[]): Promise<StockProxy> {
  return run(name, 'http', (folder, port) =>
    Promise.resolve(name === 'nginx' ? nginx(folder, port, ports) : haproxy(port, ports)),
  );
}

/**
 * The same with the configuration that the project ships, whose addresses and certificate are replaced.
 *
 * @param certificate of the name 127.0.0.1, as PEM
 */
export function startShippedProxy(
  name: ProxyName,
  ports: readonly [number, number],
  certificate: { readonly cert: string; readonly key: string },
): Promise<StockProxy> {
  return run(name, 'https', async (folder, port) => {
    const shipped = new URL(
      `../../../deploy/${name === 'nginx' ? 'nginx/portico.conf' : 'haproxy/haproxy.cfg'}`,
      import.meta.url,
    );
    await writeFile(`${folder}/portico.crt`, certificate.cert);
    await writeFile(`${folder}/portico.key`, certificate.key);
    await writeFile(`${folder}/portico.pem`, `${certificate.cert}\n${certificate.key}`);
    const changed = (await readFile(shipped, 'utf8'))
      .replace('127.0.0.1:3001', `127.0.0.1:${ports[0]}`)
      .replace('127.0.0.1:3002', `127.0.0.1:${ports[1]}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replaceAll('portico.example', '127.0.0.1')
      .replace('timeout server 30s', `timeout server 30s\n  ${PATIENT_CHECKS}`)
      .replaceAll(/\/etc\/(nginx|haproxy)\//g, `${folder}/`);
    return name === 'nginx' ? nginxMain(folder, changed) : changed;
  });
}

async function run(
  name: ProxyName,
  scheme: 'http' | 'https',
  configuration: (folder: string, port: number) => Promise<string>,
): Promise<StockProxy> {
  const folder = await tempFolder();
  const port = await freePort();
  const file = `${folder.path}/proxy.conf`;
  await writeFile(file, await configuration(folder.path, port));
  const options = name === 'nginx' ? ['-c', file, '-p', folder.path, '-e', 'stderr'] : ['-f', file];
  const child = spawn(name, options, { stdio: 'ignore' });
  living.add(child);
  child.once('exit', () => living.delete(child));
  const url = `${scheme}://127.0.0.1:${port}`;
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    if (scheme === 'http') expect((await fetch(`${url}/livez`)).status).toBe(200);
  });
  return {
    url,
    close: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await folder.remove();
    },
  };
}

/** Its defaults: an instance is left out for 10 s after one failure, and a body is read before it is sent on. */
function nginx(folder: string, port: number, ports: readonly number[]): string {
  return nginxMain(
    folder,
    `
  upstream service {
    ${ports.map((each) => `server 127.0.0.1:${each};`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; }
  }`,
  );
}

function nginxMain(folder: string, http: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  // Its workers would be another user, who may not write into the folder.
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  ${http}
}
`;
}

/** The timeouts of its package. A server is left out while its checks fail, or after errors of its answers. */
function haproxy(port: number, ports: readonly number[]): string {
  const check = 'check inter 1s observe layer7 error-limit 3 on-error mark-down';
  return `defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
  ${PATIENT_CHECKS}
frontend all
  bind 127.0.0.1:${port}
  default_backend service
backend service
  option httpchk GET /livez
  ${ports.map((each, n) => `server s${n} 127.0.0.1:${each} ${check}`).join('\n  ')}
`;
}
