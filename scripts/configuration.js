import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { OPTIONS } from '../dist/config/portico-options.js';
import { secretSettings, settingDescriptions } from '../dist/config/setting.js';
import { Settings } from '../dist/config/settings.js';

const defaults = new Settings();

function defaultOf(name) {
  const value = defaults[name];
  return value === undefined || (Array.isArray(value) && value.length === 0) ? undefined : String(value);
}

function secretFiles() {
  return [...secretSettings()].map((name) => `\`${name}_FILE\``).join(', ');
}

/** docs/configuration.md: the table of all settings. */
export function configurationPage() {
  const rows = settingDescriptions().map(({ name, meaning }) => {
    const value = defaultOf(name);
    return `| \`${name}\` | ${value === undefined ? 'none' : `\`${value}\``} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return `# Settings

<!-- Generated from src/config by npm run generate. -->

Settings are read once, at start, from the environment and from a \`.env\` file in the working directory; the environment
takes precedence. An empty value counts as not set. All settings are checked together: the service names every one that it
cannot use, never its value, and exits with code 1. The content of the files that settings name is checked too. If the
name of a variable is close to that of a setting, a warning is logged. \`portico check\` checks all of this without starting the
service.

Secrets can also be given as files, which is how containers mount them: ${secretFiles()}. White space
around the content is ignored.

| name | default | meaning |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/** docs/nest.md with its table of options. */
export async function pageWithOptions(path) {
  const page = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  const rows = Object.entries(OPTIONS).flatMap(([topic, names]) =>
    Object.entries(names).map(([option, name]) => `| \`${topic}.${option}\` | \`${name}\` |`),
  );
  const table = ['| option | setting |', '| --- | --- |', ...rows, '| `production` | `NODE_ENV` |'];
  const text = await format(table.join('\n'), { parser: 'markdown' });
  return page.replace(
    /(<!-- options: [^\n]*-->\n)[^]*?(<!-- end -->)/,
    (_all, start, end) => `${start}\n${text}\n${end}`,
  );
}

/** .env.example: every setting with its meaning and its default, commented out. */
export function environmentExample() {
  const entries = settingDescriptions().map(
    ({ name, meaning, example }) =>
      `# ${meaning.replaceAll('`', '')}\n# ${name}=${defaultOf(name) ?? example ?? ''}\n`,
  );
  return `# Copy this file to .env and uncomment what you want to set. Generated from src/config by npm run generate.\n\n${entries.join('\n')}`;
}
