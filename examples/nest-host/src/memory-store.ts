import { type Ending, type EndingCause, type ListedRecord, type SessionStore } from 'portico-service';

interface Stored {
  sealed: string;
  version: number;
  expiresAt: number;
  idleExpiresAt: number;
  account: string | undefined;
  use?: { at: number; timeoutMs: number };
}

interface Lease {
  readonly holder: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** A session store of the shop's own: a map, for one process. test/memory-store.spec.ts proves it. */
export class MemoryStore implements SessionStore {
  readonly #sessions = new Map<string, Stored>();
  readonly #leases = new Map<string, Lease>();
  readonly #endings: Ending[] = [];
  readonly #idleMs: number;
  readonly #maxMs: number;

  constructor(
    { idleSeconds, maxSeconds }: { readonly idleSeconds: number; readonly maxSeconds: number },
    readonly now = Date.now,
  ) {
    this.#idleMs = idleSeconds * 1000;
    this.#maxMs = maxSeconds * 1000;
  }

  create(key: string, sealed: string, account?: string): Promise<number> {
    if (this.#find(key) !== undefined) return Promise.reject(new Error('The key is taken'));
    const expiresAt = this.now() + this.#maxMs;
    const idleExpiresAt = this.now() + this.#idleMs;
    this.#sessions.set(key, { sealed, version: 1, expiresAt, idleExpiresAt, account });
    return Promise.resolve(expiresAt);
  }

  read: SessionStore['read'] = (key) => {
    const found = this.#find(key);
    if (found !== undefined) found.idleExpiresAt = this.now() + this.#idleMs;
    return Promise.resolve(
      found && { sealed: found.sealed, version: found.version, expiresAt: found.expiresAt },
    );
  };

  peek: SessionStore['peek'] = (key) => {
    const found = this.#find(key);
    if (found === undefined) return Promise.resolve(undefined);
    const idleExpiresAt = Math.min(found.idleExpiresAt, found.expiresAt);
    const { sealed, version, expiresAt, use } = found;
    return Promise.resolve({ sealed, version, expiresAt, idleExpiresAt, platformUse: use });
  };

  noteUse(key: string, at: number, timeoutMs?: number): void {
    const found = this.#find(key);
    const timeout = timeoutMs ?? found?.use?.timeoutMs;
    if (found === undefined || timeout === undefined) return;
    found.use = { at: Math.max(at, found.use?.at ?? 0), timeoutMs: timeout };
  }

  replace(key: string, version: number, sealed: string): Promise<boolean> {
    const found = this.#find(key);
    const isCurrent = found?.version === version;
    if (isCurrent) Object.assign(found, { sealed, version: version + 1 });
    return Promise.resolve(isCurrent);
  }

  remove(key: string, version?: number): Promise<boolean> {
    const found = this.#find(key);
    const isCurrent = found !== undefined && (version === undefined || version === found.version);
    return Promise.resolve(isCurrent && this.#sessions.delete(key));
  }

  async end(key: string, cause: EndingCause): Promise<boolean> {
    const isThere = await this.remove(key);
    if (isThere) this.#endings.push({ key, cause, at: this.now() });
    return isThere;
  }

  endings(since: number): Promise<Ending[]> {
    return Promise.resolve(this.#endings.filter(({ at }) => at >= since).slice(0, 1000));
  }

  ofAccount(account: string): Promise<string[]> {
    const own = [...this.#sessions].filter(([, session]) => session.account === account);
    return Promise.resolve(own.map(([key]) => key).slice(0, 1000));
  }

  /** A session that ends is gone from the map, and with it from its account. */
  leaveAccount(): void {
    return;
  }

  summary(key: string): Promise<ListedRecord | undefined> {
    const found = this.#find(key);
    if (found === undefined) return Promise.resolve(undefined);
    const { sealed, expiresAt, idleExpiresAt } = found;
    const lastUsedAt = idleExpiresAt - this.#idleMs;
    return Promise.resolve({
      key,
      sealed,
      expiresAt,
      lastUsedAt,
      idleExpiresAt: Math.min(idleExpiresAt, expiresAt),
    });
  }

  async *list(): AsyncGenerator<ListedRecord[]> {
    for (const key of this.#sessions.keys()) {
      const session = await this.summary(key);
      if (session !== undefined) yield [session];
    }
  }

  lease: SessionStore['lease'] = (key, holder, milliseconds) => {
    const lease = this.#leaseOf(key);
    if (lease !== undefined && lease.holder !== holder)
      return Promise.resolve(lease.holder === undefined ? 'settled' : 'held');
    this.#leases.set(key, { holder, from: this.now(), until: this.now() + milliseconds });
    return Promise.resolve('taken');
  };

  settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    const isHolder = this.#leaseOf(key)?.holder === holder;
    if (isHolder)
      this.#leases.set(key, { holder: undefined, from: this.now(), until: this.now() + milliseconds });
    return Promise.resolve(isHolder);
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  reach(): Promise<void> {
    return Promise.resolve();
  }

  count(): Promise<number> {
    return Promise.resolve([...this.#sessions.keys()].filter((key) => this.#find(key) !== undefined).length);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The live session. If the clock was set back, it lives no longer than a new one. */
  #find(key: string): Stored | undefined {
    const found = this.#sessions.get(key);
    if (found === undefined) return undefined;
    const now = this.now();
    found.expiresAt = Math.min(found.expiresAt, now + this.#maxMs);
    found.idleExpiresAt = Math.min(found.idleExpiresAt, now + this.#idleMs);
    if (now < found.expiresAt && now < found.idleExpiresAt) return found;
    this.#sessions.delete(key);
    return undefined;
  }

  /** A lease from the future was taken before the clock was set back. */
  #leaseOf(key: string): Lease | undefined {
    const lease = this.#leases.get(key);
    const now = this.now();
    return lease !== undefined && lease.from <= now && now < lease.until ? lease : undefined;
  }
}
