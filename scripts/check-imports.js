/** Checks the dependency rule, and prints how many rooms, floors and arrows there are, by what dependency-cruiser found. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cruise, format } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { figures, roomsOf } from './rooms.ts';

const ROOMS = createRequire(import.meta.url)('../.dependency-rooms.cjs');
const MOST_ROOMS = 26;

const options = await extractDepcruiseOptions(
  fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url)),
);
const { output: result } = await cruise(
  ['src', 'packages/portico/src'],
  { ...options, metrics: true },
  undefined,
  {
    tsConfig: extractTSConfig('tsconfig.json'),
  },
);
const { output: report, exitCode } = await format(result, { outputType: 'err' });
console.log(report.trim());
if (exitCode > 0) process.exitCode = 1;

const found = roomsOf(result.modules);
try {
  const { rooms, floors, arrows } = figures(found);
  console.log(`${rooms} rooms, ${floors} floors, ${arrows} arrows`);
  if (rooms > MOST_ROOMS) throw new Error(`There are ${rooms} folders with code; ${MOST_ROOMS} are allowed.`);
} catch (fault) {
  // dependency-cruiser takes a folder together with its subfolders, and so misses a cycle between the two.
  console.error(fault.message);
  process.exitCode = 1;
}
const unused = Object.entries(ROOMS).flatMap(([room, imports]) =>
  imports.filter((target) => !found[room]?.includes(target)).map((target) => `${room} → ${target}`),
);
if (unused.length > 0) {
  console.error(`Arrows in .dependency-rooms.cjs that nothing uses: ${unused.join(', ')}`);
  process.exitCode = 1;
}
