import { isReadableFolder } from '../../config/checks.js';
import { PersistedDocuments, PersistedDocumentsError } from './persisted-documents.js';

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
