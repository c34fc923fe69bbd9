import { createHash } from 'node:crypto';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode, parse, validate } from 'graphql';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fields, isFields } from './document-id.js';
import { isReadableFolder } from '../../config/checks.js';

/** The characters of an MD5, the shortest hash that the clients of the field use. */
const LEAST_HASH = 32;

/** The cache interface that Apollo expects, with writes ignored. */
export interface ReadOnlyCache {
  get(key: string): Promise<string | undefined>;
  set(): Promise<void>;
  delete(): Promise<boolean>;
}

/**
 * The documents that may run, by the SHA-256 of their text in hexadecimal, as Apollo's clients compute it, and by
 * the ids that manifests give them.
 */
export class PersistedDocuments {
  readonly #documents: ReadonlyMap<string, string>;
  readonly #parsed: ReadonlyMap<string, DocumentNode>;

  private constructor(documents: ReadonlyMap<string, string>, parsed: ReadonlyMap<string, DocumentNode>) {
    this.#documents = documents;
    this.#parsed = parsed;
  }

  /**
   * Reads the `.graphql` files of a folder, but not its subfolders, and the manifests of Apollo and Relay. A file
   * is one document, byte for byte as clients send it or hash it, with or without its final line break.
   *
   * @throws PersistedDocumentsError that names the file at fault.
   */
  static async read(folder: string): Promise<PersistedDocuments> {
    const documents = new Map<string, string>();
    const parsed = new Map<string, DocumentNode>();
    for (const { source, text, id } of await found(folder)) {
      if (id !== undefined && (documents.get(id) ?? text) !== text) {
        throw new PersistedDocumentsError(`${source} has the id of another document`);
      }
      if (id !== undefined) documents.set(id, text);
      for (const version of [text, text.replace(/\r?\n$/, '')]) documents.set(sha256(version), version);
      try {
        parsed.set(source, parse(text, { noLocation: true }));
      } catch {
        throw new PersistedDocumentsError(`${source} is not a GraphQL document`);
      }
    }
    if (documents.size === 0)
      throw new PersistedDocumentsError('the folder has no .graphql file and no manifest');
    return new PersistedDocuments(documents, parsed);
  }

  /** @throws PersistedDocumentsError that names the files whose documents do not match the schema. */
  checkAgainst(schema: GraphQLSchema): void {
    const unfit = [...this.#parsed].filter(([, document]) => validate(schema, document).length > 0);
    if (unfit.length === 0) return;
    throw new PersistedDocumentsError(`${unfit.map(([name]) => name).join(', ')} does not match the schema`);
  }

  /**
   * A document that can be sent as it is: one query without variables. Undefined if the list has no such document.
   */
  get example(): string | undefined {
    for (const text of this.#documents.values()) {
      const { definitions } = parse(text, { noLocation: true });
      const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
      const [only] = operations;
      const isPlain =
        only?.operation === OperationTypeNode.QUERY && (only.variableDefinitions ?? []).length === 0;
      if (operations.length === 1 && isPlain) return text;
    }
    return undefined;
  }

  has(hash: string): boolean {
    return this.#documents.has(hash);
  }

  /**
   * The hashes of the documents whose text matches; ids that are too short to tell them from other text are left
   * out.
   */
  hashesOf(pattern: RegExp): string[] {
    return [...this.#documents]
      .filter(([hash, text]) => hash.length >= LEAST_HASH && pattern.test(text))
      .map(([hash]) => hash);
  }

  /** The documents as a cache for Apollo, which looks them up by hash. What a caller sends is never stored. */
  asCache(): ReadOnlyCache {
    return {
      get: (key) => Promise.resolve(this.#documents.get(key.replace(/^apq:/, ''))),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(false),
    };
  }
}

/** The folder of PERSISTED_DOCUMENTS cannot be used. */
export class PersistedDocumentsError extends Error {
  override readonly name = 'PersistedDocumentsError';

  constructor(reason: string) {
    super(`PERSISTED_DOCUMENTS cannot be used: ${reason}`);
  }
}

async function found(folder: string): Promise<DocumentInFile[]> {
  try {
    return await documentsIn(folder);
  } catch (error) {
    throw new PersistedDocumentsError(error instanceof Error ? error.message : 'the folder cannot be read');
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** An allowed document, as a file gives it. */
interface DocumentInFile {
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
async function documentsIn(folder: string): Promise<DocumentInFile[]> {
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

/** What is wrong in the folder of persisted documents; empty if none is set or readable. */
export async function problemsInDocuments({
  PERSISTED_DOCUMENTS: folder,
}: {
  readonly PERSISTED_DOCUMENTS?: string | undefined;
}): Promise<string[]> {
  if (folder === undefined || !isReadableFolder(folder)) return [];
  try {
    await PersistedDocuments.read(folder);
    return [];
  } catch (error) {
    if (!(error instanceof PersistedDocumentsError)) throw error;
    return [error.message];
  }
}
