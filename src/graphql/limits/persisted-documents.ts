import { createHash } from 'node:crypto';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode, parse, validate } from 'graphql';
import { type DocumentInFile, documentsIn } from './document-files.js';

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
