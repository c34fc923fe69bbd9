/**
 * What the service does under too much of each kind of load: a table. Name rows to run only these; `guests` names `guests-1`,
 * `guests-10` and `guests-100` as well, and a group all of its rows.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freeServer, pinLoad } from './machine/cores.ts';
import { machine } from './machine/describe.ts';
import { ANSWERS } from './overload/answers.ts';
import { type Attack, playAttack } from './overload/attack/play.ts';
import { CAPACITY } from './overload/capacity.ts';
import { CONNECTIONS } from './overload/connections.ts';
import { LOGINS } from './overload/logins.ts';
import { DISTINCT_NAMES } from './overload/names.ts';
import { PARTIES } from './overload/parties.ts';
import { play, type Scenario } from './overload/scenario.ts';
import { SLOWNESS } from './overload/slowness.ts';
import { PORTICOS, porticosOf } from './systems/index.ts';

const GROUPS: Readonly<Record<string, readonly (Scenario | Attack)[]>> = {
  answers: ANSWERS,
  logins: LOGINS,
  slowness: SLOWNESS,
  capacity: CAPACITY,
  parties: PARTIES,
  connections: CONNECTIONS,
  names: DISTINCT_NAMES,
};
const ROWS = Object.values(GROUPS).flat();
const USAGE = `npm run overload -- [--checkout DIR] [--all-cores] [rows or groups]

  --checkout DIR  measures the service of another checkout, which must be built
  --all-cores     the service may use all cores, and the load still one

${Object.entries(GROUPS)
  .map(([group, rows]) => `  ${group}: ${rows.map(({ id }) => id).join(', ')}`)
  .join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checkout: { type: 'string' },
    'all-cores': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const named = positionals.map((name) => ({ name, rows: rowsOf(name) }));
const unknown = named.filter(({ rows }) => rows.length === 0);
if (unknown.length > 0) fail(`There is no row or group ${unknown.map(({ name }) => name).join(', ')}.`);
if (values.checkout !== undefined && !existsSync(join(values.checkout, 'dist/main.js')))
  fail(`${values.checkout} is not a checkout that is built.`);
const systems = values.checkout === undefined ? PORTICOS : porticosOf(resolve(values.checkout));

pinLoad();
if (values['all-cores']) freeServer();
console.log(`${machine()}\n\n| load | before | now |\n| --- | --- | --- |`);
for (const row of named.length === 0 ? ROWS : new Set(named.flatMap(({ rows }) => rows))) {
  const played = 'plan' in row ? playAttack(row, systems) : play(row, systems);
  const now = await played.catch((error: unknown) => `FAILED: ${(error as Error).message}`);
  console.log(`| ${row.what} | ${row.before} | ${now} |`);
}

function rowsOf(name: string): readonly (Scenario | Attack)[] {
  return GROUPS[name] ?? ROWS.filter(({ id }) => id === name || /^-\d+$/.test(id.replace(name, '')));
}

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}
