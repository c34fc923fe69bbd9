import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEDERATION_SECRET } from '../measure/cases.ts';
import { type FigureId } from '../measure/sample.ts';
import { bearer } from './login.ts';
import { SESSION_FIGURES, type Surroundings, type System } from './system.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const LOGIN = 'mutation { login(input: {username: "demo", password: "demo", transport: BEARER}) { handle } }';

/** What `npm start` runs, so that its options of Node count here too. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [command, ...args] = scripts.start.split(' ');
  if (command !== 'node') throw new Error(`The bench cannot start the service by: ${scripts.start}`);
  return args.map((each) => (each.startsWith('dist/') ? join(ROOT, each) : each));
}

function portico(
  id: string,
  label: string,
  settings: Readonly<Record<string, string>>,
  figures: readonly FigureId[] = [...SESSION_FIGURES, 'entities'],
): System {
  return {
    id,
    label: `Portico, ${label}`,
    figures,
    loginQuery: LOGIN,
    launch: (port, surroundings) => {
      const folder = mkdtempSync(join(surroundings.folder, 'portico-'));
      return {
        args: startArguments(),
        cwd: folder,
        env: {
          NODE_ENV: 'production',
          PORT: `${port}`,
          PLATFORM_BASE_URL: `${surroundings.platform.origin}/api`,
          SESSION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
          SESSION_STORE_PATH: join(folder, 'sessions.db'),
          FEDERATION_SECRET,
          ...settings,
          ...(settings.SESSION_STORE === 'redis' && { REDIS_URL: redisUrl(surroundings) }),
        },
      };
    },
    login: (port) => bearer(port, LOGIN),
  };
}

function redisUrl({ redisUrl: url }: Surroundings): string {
  if (url === undefined) throw new Error('redis-server is not installed');
  return url;
}

const REDIS = { SESSION_STORE: 'redis' };
const UNDICI = { PLATFORM_TRANSPORT: 'undici' };
const GOT = { PLATFORM_TRANSPORT: 'got' };

/** The service by each transport and with each store; `undici-reuse` also keeps answers for a second. */
export const PORTICOS: readonly System[] = [
  portico('got', 'got', GOT),
  portico('undici', 'undici', UNDICI),
  portico('got-redis', 'got, Redis', { ...GOT, ...REDIS }),
  portico('undici-redis', 'undici, Redis', { ...UNDICI, ...REDIS }),
  portico('undici-reuse', 'undici, READ_REUSE_MS=1000', { ...UNDICI, READ_REUSE_MS: '1000' }, ['shared']),
];
