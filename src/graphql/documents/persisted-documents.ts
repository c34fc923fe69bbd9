import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode, parse, validate } from 'graphql';

/** The cache interface that Apollo expects, with writes ignored. */
export interface ReadOnlyCache {
  get(key: string): Promise<string | undefined>;
  set(): Promise<void>;
  delete(): Promise<boolean>;
}

/** The documents that may run, by the SHA-256 of their text in hexadecimal, as Apollo's clients compute it. */
export class PersistedDocuments {
  readonly #documents: ReadonlyMap<string, string>;
  readonly #parsed: ReadonlyMap<string, DocumentNode>;

  private constructor(documents: ReadonlyMap<string, string>, parsed: ReadonlyMap<string, DocumentNode>) {
    this.#documents = documents;
    this.#parsed = parsed;
  }

  /**
   * Reads every `.graphql` file of a folder, but not its subfolders. A file is one document, byte for byte as clients
   * send it or hash it, with or without its final line break.
   *
   * @throws PersistedDocumentsError that names the file at fault.
   */
  static async read(folder: string): Promise<PersistedDocuments> {
    const documents = new Map<string, string>();
    const parsed = new Map<string, DocumentNode>();
    for (const name of await namesIn(folder)) {
      const text = await readFile(join(folder, name), 'utf8');
      for (const version of [text, text.replace(/\r?\n$/, '')]) documents.set(sha256(version), version);
      try {
        parsed.set(name, parse(text, { noLocation: true }));
      } catch {
        throw new PersistedDocumentsError(`${name} is not a GraphQL document`);
      }
    }
    if (documents.size === 0) throw new PersistedDocumentsError('the folder has no .graphql file');
    return new PersistedDocuments(documents, parsed);
  }

  /** @throws PersistedDocumentsError that names the files whose documents do not match the schema. */
  checkAgainst(schema: GraphQLSchema): void {
    const unfit = [...this.#parsed].filter(([, document]) => validate(schema, document).length > 0);
    if (unfit.length === 0) return;
    throw new PersistedDocumentsError(`${unfit.map(([name]) => name).join(', ')} does not match the schema`);
  }

  /** A document that can be sent as it is: one query without variables. Undefined where there is none. */
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

  /** The hashes of the documents whose text matches. */
  hashesOf(pattern: RegExp): string[] {
    return [...this.#documents].filter(([, text]) => pattern.test(text)).map(([hash]) => hash);
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

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.graphql'));
  } catch {
    throw new PersistedDocumentsError('the folder cannot be read');
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
