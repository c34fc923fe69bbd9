import { EmbeddedSessionStore } from './embedded-session-store.js';
import { recordLoginsInProcess } from './login-records.js';
import { sessionLife } from './session-store.js';
import { type OpenBackend } from './store-backend.js';

export const fix =
  'SESSION_STORE_PATH: check the path and its permissions, and that no other process has the file';

export const open: OpenBackend = (settings) => ({
  sessions: new EmbeddedSessionStore(settings.SESSION_STORE_PATH, sessionLife(settings)),
  logins: recordLoginsInProcess(),
  describe: () => Promise.resolve({ product: `SQLite ${process.versions.sqlite ?? ''}` }),
});
