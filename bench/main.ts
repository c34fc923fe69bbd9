/** The whole comparison: the client alone, the service, and its peers, on two cores. `--help` names the options. */
import { readFile, writeFile } from 'node:fs/promises';
import { pinLoad } from './machine/cores.ts';
import { run } from './measure/run.ts';
import { type Run } from './measure/sample.ts';
import { readOptions, USAGE, type Options } from './options.ts';
import { writeToPage } from './report/document.ts';
import { guardFigures, losses, type GuardFigures } from './report/guard.ts';
import { table } from './report/table.ts';

const GUARD = new URL('guard.json', import.meta.url);

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(USAGE);
else await main(options());

function options(): Options {
  try {
    return readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function main({ plan, guard, update, write, json, from }: Options): Promise<void> {
  pinLoad();
  const measured = from === undefined ? await run(plan) : (JSON.parse(await readFile(from, 'utf8')) as Run);
  const text = table(measured);
  console.log(text);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(measured, undefined, 1)}\n`);
  if (write) await writeToPage('bench', text);
  if (guard) await compare(guardFigures(measured), update);
}

async function compare(now: GuardFigures, update: boolean): Promise<void> {
  if (update) {
    await writeFile(GUARD, `${JSON.stringify(now, undefined, 2)}\n`);
    return;
  }
  const lost = losses(JSON.parse(await readFile(GUARD, 'utf8')) as GuardFigures, now);
  console.log(lost.length === 0 ? '\nGuard: nothing lost.' : `\nGuard: lost\n${lost.join('\n')}`);
  if (lost.length > 0) process.exitCode = 1;
}
