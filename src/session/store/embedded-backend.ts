import { EmbeddedSessionStore } from './embedded-session-store.js';
import { recordLoginsInProcess } from './login-records.js';
import { sessionLife } from './session-store.js';
import { type BackendFile, type OpenBackend } from './store-backend.js';
import { tryStoreFile } from './store-database.js';

export const fix =
  'SESSION_STORE_PATH: check the path and its permissions, and that no other process has the file';

export const open: OpenBackend = (settings) => ({
  sessions: new EmbeddedSessionStore(settings.SESSION_STORE_PATH, sessionLife(settings)),
  logins: recordLoginsInProcess(),
});

export const tryOut: BackendFile['tryOut'] = async ({ SESSION_STORE_PATH: path }) => {
  await Promise.resolve();
  tryStoreFile(path);
  return { product: `SQLite ${process.versions.sqlite ?? ''}` };
};
