import { prefixedName } from '../config/prefixed-name.js';
import { type RunningPlatform } from '../platform/platform.module.js';

const DEMO_LOGIN =
  '(input: {username: "demo", password: "demo", transport: BEARER}) { handle me { fullName } projects { id name } }';

/** What the start screen shows. */
export interface StartedService {
  readonly url: string;
  /** Whether the session store answers. */
  readonly isReady: boolean;
  /** The embedded platform, if it runs. */
  readonly embedded: RunningPlatform | undefined;
  /** Whether the service uses it: with a base URL it does not. */
  readonly usesEmbedded: boolean;
  readonly hasConsole: boolean;
  readonly fieldPrefix: string | undefined;
  /** Where the metrics are. */
  readonly metricsUrl?: string | undefined;
  /** A query that runs without a session. If only certain documents are allowed: one of those, or none. */
  readonly allowedQuery?: string | undefined;
  readonly hasAllowList?: boolean | undefined;
}

/** What a developer who has just started the service needs: its address, who may log in, and a first query. */
export function startScreen({
  url: serviceUrl,
  isReady,
  embedded,
  usesEmbedded,
  hasConsole,
  fieldPrefix,
  metricsUrl,
  allowedQuery,
  hasAllowList = false,
}: StartedService): string {
  const named = (name: string): string => prefixedName(fieldPrefix, name);
  const anyQuery = usesEmbedded
    ? `mutation { ${named('login')}${DEMO_LOGIN} }`
    : `{ ${named('hasSession')} }`;
  const query = hasAllowList ? allowedQuery : anyQuery;
  const lines = [
    '',
    isReady ? 'Portico is ready.' : 'Portico is running, but not ready: its session store does not answer.',
    '',
    `  GraphQL    ${serviceUrl}/graphql`,
    ...(hasConsole ? [`  Console    ${serviceUrl}/`] : []),
    `  Health     ${serviceUrl}/livez  ${serviceUrl}/readyz`,
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}`]),
    ...(embedded ? demoLines(embedded) : []),
    ...(embedded && !usesEmbedded ? ['', 'The service uses PLATFORM_BASE_URL, not this platform.'] : []),
    '',
    ...firstQuery(query, `${serviceUrl}/graphql`),
    'Press Ctrl-C to stop.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for the embedded platform alone. */
export function platformScreen(platform: RunningPlatform): string {
  return [
    '',
    'The embedded platform is ready.',
    '',
    ...demoLines(platform),
    '',
    'Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n');
}

function demoLines({ baseUrl, demoLogins }: RunningPlatform): string[] {
  const users = demoLogins.users.map(({ username, shows }) => `  ${username.padEnd(18)} ${shows}`);
  return [
    `  Platform   ${baseUrl}`,
    '',
    `Demo logins (password ${demoLogins.password}; API key ${demoLogins.apiKey}; anonymous without any):`,
    '',
    ...users,
  ];
}

function firstQuery(query: string | undefined, url: string): string[] {
  if (query === undefined) return ['Only the documents of PERSISTED_DOCUMENTS run.', ''];
  return ['A first query:', '', curl(url, query), ''];
}

function curl(url: string, query: string): string {
  const body = JSON.stringify({ query }).replaceAll("'", String.raw`'\''`);
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}
