import { prefixedName } from './config/prefixed-name.js';
import { type RunningPlatform } from './platform.module.js';

const DEMO_LOGIN =
  '(input: {username: "demo", password: "demo", transport: BEARER}) { handle me { fullName } projects { id name } }';

/** What a person who has just started the service wants to know: where it is, who may log in, and a first query. */
export function startScreen(
  serviceUrl: string,
  embedded: RunningPlatform | undefined,
  hasConsole: boolean,
  fieldPrefix?: string,
): string {
  const named = (name: string): string => prefixedName(fieldPrefix, name);
  const lines = [
    '',
    'Portico is ready.',
    '',
    `  GraphQL    ${serviceUrl}/graphql`,
    ...(hasConsole ? [`  Console    ${serviceUrl}/`] : []),
    `  Health     ${serviceUrl}/livez  ${serviceUrl}/readyz`,
    ...(embedded ? demoLines(embedded) : []),
    '',
    'A first query:',
    '',
    curl(
      `${serviceUrl}/graphql`,
      embedded ? `mutation { ${named('login')}${DEMO_LOGIN} }` : `{ ${named('hasSession')} }`,
    ),
    '',
    'Ctrl-C stops it.',
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
    'Ctrl-C stops it.',
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

function curl(url: string, query: string): string {
  return `curl -s ${url} -H 'content-type: application/json' -d '${JSON.stringify({ query })}'`;
}
