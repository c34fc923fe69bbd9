/** Where the CPU of one request goes, by concern: a table, and with `--write` the picture and the table of docs/performance.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { pinLoad } from './machine/cores.ts';
import { machine } from './machine/describe.ts';
import { CASE_IDS, CASES } from './measure/cases.ts';
import { picture } from './profile/picture.ts';
import { profileSystem } from './profile/profile-system.ts';
import { writeToPage } from './report/document.ts';
import { systemOf } from './systems/index.ts';

const IMAGES = new URL('../docs/images/', import.meta.url);

const { values } = parseArgs({
  options: {
    system: { type: 'string', default: 'undici' },
    case: { type: 'string', default: 'own' },
    seconds: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});
const id = CASE_IDS.find((each) => each === values.case);
if (id === undefined) throw new Error(`There is no case "${values.case}": ${CASE_IDS.join(', ')}`);
const system = systemOf(values.system);
pinLoad();

const { cpu, shares } = await profileSystem(
  system,
  id,
  Number(values.seconds) * 1000,
  Number(values['warm-up']) * 1000,
);
const title = `${system.label}: ${CASES[id].title}`;
const rows = shares.map(
  ({ concern, share }) => `| ${concern} | ${(100 * share).toFixed(1)} % | ${Math.round(share * cpu)} |`,
);
const date = new Date().toISOString().slice(0, 10);
const text = [
  `${title}. ${date}, ${machine()}, with the profiler on.`,
  '',
  '| concern | share | CPU µs a request |',
  '| --- | --- | --- |',
  ...rows,
  `| all | 100 % | ${Math.round(cpu)} |`,
].join('\n');
console.log(text);
if (values.write) {
  await mkdir(IMAGES, { recursive: true });
  await writeFile(new URL('request-time.svg', IMAGES), picture(title.replaceAll('`', ''), cpu, shares));
  await writeToPage('profile', text);
}
