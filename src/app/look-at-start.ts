import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment } from '../config/environment.js';
import { type Settings } from '../config/settings.js';
import { createApp } from './app.factory.js';
import { type Finding } from './finding.js';
import { startFault } from './start-fault.js';

const SERVICE = 'service';
const ANSWER_MS = 1000;

/**
 * The URL of an instance that answers at the address of the settings and is ready; undefined if there is none. What
 * it uses is in use rightly.
 */
export async function runningInstance({ HOST, PORT }: Settings): Promise<string | undefined> {
  if (PORT === 0) return undefined;
  const url = `http://${callable(HOST)}:${PORT}`;
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status, details } = (await answer.json()) as { status?: unknown; details?: object };
    const isOurs = details !== undefined && 'sessionStore' in details && 'accepting' in details;
    return answer.ok && status === 'ok' && isOurs ? url : undefined;
  } catch {
    return undefined;
  }
}

/** What keeps the service from starting; nothing if it would start. */
export async function lookAtStart(
  settings: Settings,
  environment: Environment,
  instance: string | undefined,
): Promise<Finding[]> {
  const fault = await rehearse(environment);
  const faults = [
    ...(fault === undefined ? [] : [fault]),
    ...(instance === undefined ? await busy(settings) : []),
  ];
  const wrong = faults.map((found): Finding => ({ what: SERVICE, state: 'wrong', found }));
  if (instance === undefined) return wrong;
  const found = `an instance is ready at ${instance}: its addresses are in use and were not tried`;
  return [...wrong, { what: SERVICE, state: 'skipped', found }];
}

/**
 * Makes the application by the code of `start`, with its schema and the documents that must match it. What it would
 * leave behind or share with a running instance is replaced: store, audit log, metrics, traces.
 */
async function rehearse(environment: Environment): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-check-'));
  try {
    const app = await createApp({
      ...environment,
      SESSION_STORE: 'embedded',
      SESSION_STORE_PATH: join(folder, 'sessions.db'),
      EMBEDDED_PLATFORM_PORT: '0',
      AUDIT_LOG: 'off',
      LOG_LEVEL: 'silent',
      METRICS_PORT: '',
      OTEL_SDK_DISABLED: 'true',
    });
    try {
      await app.init();
    } finally {
      await app.close();
    }
    return undefined;
  } catch (fault) {
    return startFault(fault);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Listens for a moment where the service would. */
async function busy(settings: Settings): Promise<string[]> {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT, EMBEDDED_PLATFORM_PORT } = settings;
  const faults = await Promise.all([
    listenFault(HOST, PORT),
    METRICS_PORT === undefined ? undefined : listenFault(METRICS_HOST, METRICS_PORT),
    settings.runsEmbeddedPlatform ? listenFault('127.0.0.1', EMBEDDED_PLATFORM_PORT) : undefined,
  ]);
  return faults.filter((fault) => fault !== undefined);
}

function listenFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault) => {
      resolve(startFault(fault));
    });
    server.listen({ host, port }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

/** Where this machine can call an address that stands for all of its own. */
function callable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
