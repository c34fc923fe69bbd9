import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProfilesFile {
  readonly path: string;
  /** Puts a whole new text in the file's place, as a deployment does. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** A file of credential profiles in a folder of its own. */
export async function profilesFile(text: string): Promise<ProfilesFile> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-profiles-'));
  const path = join(folder, 'profiles.yaml');
  const write = async (content: string): Promise<void> => {
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  };
  await write(text);
  return { path, write, remove: () => rm(folder, { recursive: true }) };
}
