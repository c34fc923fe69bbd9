/**
 * The door `portico/internal`: what the service of Portico shares with its client. Any of
 * it may change or go in any version, and the reference does not have it: it is for that service only.
 */
export { growingShare } from './connection/bulkhead.js';
export {
  FairQueue,
  GUEST,
  partOf,
  type End,
  type FairQueueOptions,
  type Party,
  type Share,
} from './connection/fair-queue.js';
export { freeBytes, largeBytes, ownBytes } from './transport/read-body.js';
export { ProjectIndex } from './session/projects.js';
