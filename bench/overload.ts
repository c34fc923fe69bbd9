/** What the service does under too much of each kind of load: a table. Name scenarios to run only these. */
import { pinLoad } from './machine/cores.ts';
import { machine } from './machine/describe.ts';
import { ANSWERS } from './overload/answers.ts';
import { CAPACITY } from './overload/capacity.ts';
import { LOGINS } from './overload/logins.ts';
import { play } from './overload/scenario.ts';
import { SLOWNESS } from './overload/slowness.ts';

const SCENARIOS = [...ANSWERS, ...LOGINS, ...SLOWNESS, ...CAPACITY];
const named = process.argv.slice(2);
const unknown = named.filter((name) => !SCENARIOS.some(({ id }) => id === name));
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(', ')}: there are ${SCENARIOS.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}

pinLoad();
console.log(`${machine()}\n\n| load | before | now |\n| --- | --- | --- |`);
for (const scenario of SCENARIOS) {
  if (named.length > 0 && !named.includes(scenario.id)) continue;
  const now = await play(scenario).catch((error: unknown) => `FAILED: ${(error as Error).message}`);
  console.log(`| ${scenario.what} | ${scenario.before} | ${now} |`);
}
