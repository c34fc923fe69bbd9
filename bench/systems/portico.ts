import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FEDERATION_SECRET } from '../measure/cases.ts';
import { type FigureId } from '../measure/sample.ts';
import { bearer } from './login.ts';
import { SESSION_FIGURES, type Surroundings, type System } from './system.ts';

/** Begins the id of a Portico from another checkout. */
export const BEFORE = 'before-';
const ROOT = new URL('../../', import.meta.url).pathname;
const LOGIN = 'mutation { login(input: {username: "demo", password: "demo", transport: BEARER}) { handle } }';

/** What `npm start` runs in a checkout, so that its options of Node count here too. */
function startArguments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [command, ...args] = scripts.start.replace(/^exec /, '').split(' ');
  if (command !== 'node') throw new Error(`The bench cannot start the service by: ${scripts.start}`);
  return args.map((each) => (each.startsWith('dist/') ? join(root, each) : each));
}

interface Portico {
  readonly id: string;
  readonly label: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly figures?: readonly FigureId[];
}

function portico(root: string, { id, label, settings, figures }: Portico): System {
  return {
    id,
    label: `Portico, ${label}`,
    figures: figures ?? [...SESSION_FIGURES, 'entities'],
    loginQuery: LOGIN,
    launch: (port, surroundings) => {
      const folder = mkdtempSync(join(surroundings.folder, 'portico-'));
      return {
        args: startArguments(root),
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
const VARIANTS: readonly Portico[] = [
  { id: 'got', label: 'got', settings: GOT },
  { id: 'undici', label: 'undici', settings: UNDICI },
  { id: 'got-redis', label: 'got, Redis', settings: { ...GOT, ...REDIS } },
  { id: 'undici-redis', label: 'undici, Redis', settings: { ...UNDICI, ...REDIS } },
  {
    id: 'undici-reuse',
    label: 'undici, READ_REUSE_MS=1000',
    settings: { ...UNDICI, READ_REUSE_MS: '1000' },
    figures: ['shared'],
  },
];

export const PORTICOS: readonly System[] = porticosOf(ROOT);

/** The service as another checkout has it, which must be built. */
export function porticosOf(root: string): System[] {
  return VARIANTS.map((variant) => portico(resolve(root), variant));
}

/** The same under names of their own, to be measured beside ours. */
export function earlierPorticos(root: string): System[] {
  return porticosOf(root).map((system) => ({
    ...system,
    id: `${BEFORE}${system.id}`,
    label: `${system.label}, before`,
  }));
}
