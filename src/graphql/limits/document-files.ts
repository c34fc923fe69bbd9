import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fields, isFields } from './document-id.js';

/** An allowed document, as a file gives it. */
export interface DocumentInFile {
  /** The file, and what it calls the document. */
  readonly source: string;
  readonly text: string;
  /** The id that a manifest gives it; undefined for a file that is the document. */
  readonly id: string | undefined;
}

/** What one of Apollo's manifests says about itself. */
const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

/**
 * The documents of a folder, without its subfolders: `.graphql` files, and manifests as JSON, Apollo's
 * (`apollo-persisted-query-manifest`) or Relay's (documents by their ids).
 *
 * @throws Error that says what is wrong, and names the file.
 */
export async function documentsIn(folder: string): Promise<DocumentInFile[]> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => /\.(?:graphql|json)$/.test(name)).sort();
  } catch {
    throw new Error('the folder cannot be read');
  }
  const files = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return name.endsWith('.json') ? documentsOf(name, text) : [{ source: name, text, id: undefined }];
  });
  return (await Promise.all(files)).flat();
}

function documentsOf(name: string, text: string): DocumentInFile[] {
  const manifest = parsed(text);
  if (isFields(manifest) && manifest.format === APOLLO_FORMAT) return apolloDocuments(name, manifest);
  if (isFields(manifest) && Object.values(manifest).every((each) => typeof each === 'string')) {
    return Object.entries(manifest).map(([id, document]) => ({
      source: `${name} (${id})`,
      text: String(document),
      id,
    }));
  }
  throw new Error(`${name} is neither Apollo's nor Relay's manifest of documents`);
}

function apolloDocuments(name: string, { version, operations }: Fields): DocumentInFile[] {
  if (version !== 1 || !Array.isArray(operations)) {
    throw new Error(`${name} is not version 1 of Apollo's manifest of documents`);
  }
  return operations.map((operation: unknown) => {
    const { id, name: called, body } = isFields(operation) ? operation : {};
    if (typeof id !== 'string' || typeof body !== 'string' || id === '') {
      throw new Error(`${name} has an operation without id or body`);
    }
    return { source: `${name} (${typeof called === 'string' ? called : id})`, text: body, id };
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
