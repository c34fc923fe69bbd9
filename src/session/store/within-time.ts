import { storeUnavailable } from '../../errors/service-error.js';

/**
 * Waits for an answer for a limited number of milliseconds.
 *
 * A timer alone would also fire when this process was busy for that long and the answer is waiting in the socket. Sockets are
 * read after timers, so one more turn of the event loop distinguishes the two cases.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export function withinTime<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let lastLook: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      lastLook = setImmediate(() => {
        reject(storeUnavailable('it does not answer in time'));
      });
    }, milliseconds);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      clearImmediate(lastLook);
    });
  });
}
