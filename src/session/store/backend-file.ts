import { type SessionStoreKind } from '../../config/session-settings.js';
import { type BackendFile } from './store-backend.js';

/** The packages of the other kinds stay out of the process. */
const FILES: Readonly<Record<SessionStoreKind, () => Promise<BackendFile>>> = {
  embedded: () => import('./embedded-session-store.js'),
  redis: () => import('./redis-session-store.js'),
};

/** Loads the file of one kind of store. */
export function backendFile(kind: SessionStoreKind): Promise<BackendFile> {
  return FILES[kind]();
}
