/**
 * Checks the dependency rule, and that no folder of src/ or test/ has more than 16 files. Prints how many rooms, floors
 * and arrows src/ has, by what dependency-cruiser found.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cruise, format } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { figures, roomsOf, roomsWithin } from './rooms.ts';

const MOST_FILES = 16;
const ROOMS = createRequire(import.meta.url)('../.dependency-rooms.cjs');

const options = await extractDepcruiseOptions(
  fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url)),
);
const { output: result } = await cruise(['src'], { ...options, metrics: true }, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
});
const { output: report, exitCode } = await format(result, { outputType: 'err' });
console.log(report.trim());

const found = roomsOf(result.modules);
for (const [name, rooms] of [
  ['src', found],
  ['src/client', roomsWithin(found, 'client')],
]) {
  try {
    const { rooms: count, floors, arrows } = figures(rooms);
    console.log(`${name}: ${count} rooms, ${floors} floors, ${arrows} arrows`);
  } catch (cycle) {
    // dependency-cruiser takes a folder together with its subfolders, and so misses a cycle between the two.
    console.error(cycle.message);
    process.exitCode = 1;
  }
}
const unused = Object.entries(ROOMS).flatMap(([room, imports]) =>
  imports.filter((target) => !found[room]?.includes(target)).map((target) => `${room} → ${target}`),
);
if (unused.length > 0) console.log(`Arrows in .dependency-rooms.cjs that nothing uses: ${unused.join(', ')}`);

const crowded = [...fileCounts('src'), ...fileCounts('test')].filter(([, count]) => count > MOST_FILES);
for (const [folder, count] of crowded) {
  console.error(`${folder} has ${count} files; a folder may have ${MOST_FILES} at most: divide it.`);
}
if (exitCode > 0 || crowded.length > 0) process.exitCode = 1;

/** Each folder with the number of files in it, those of its subfolders not counted. */
function fileCounts(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return [
    [folder, entries.filter((entry) => entry.isFile()).length],
    ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => fileCounts(`${folder}/${name}`)),
  ];
}
