import { readFile } from 'node:fs/promises';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** How many commits the write-ahead log of an SQLite file holds: https://www.sqlite.org/fileformat2.html#walformat */
export async function commitsIn(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`);
  if (log.length === 0) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    // The last frame of a commit holds the size of the file after it.
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
