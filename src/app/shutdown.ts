/**
 * Whether the service is stopping. It still answers, but reports that it is not ready, and each answer closes its
 * connection.
 */
export class Shutdown {
  #hasBegun = false;

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  begin(): void {
    this.#hasBegun = true;
  }
}
