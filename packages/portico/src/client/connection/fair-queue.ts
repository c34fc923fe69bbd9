/**
 * Who work is done for, from coarse to fine: a network, an account in it, a session of that. Fewer levels are
 * possible.
 */
export type Party = readonly string[];

/** The account of all sessions without a named one: the guests of a network are one party. */
export const GUEST = 'guest';

/** What one level of a party has of a queue. */
export interface Share {
  /** The name of the level in the party. */
  readonly name: string;
  /** 0 for the coarsest level. */
  readonly level: number;
  /** Whether it is the finest level of its party. */
  readonly isFinest: boolean;
  /** Work that was begun and has not ended. */
  readonly inFlight: number;
  /** Work that waits to begin. */
  readonly waiting: number;
  /** Undefined for the whole. */
  readonly parent: Share | undefined;
  /** By name. */
  readonly children: ReadonlyMap<string, Share> | undefined;
}

/** Its part of the whole, from 0 to 1, if each level were divided equally among those that are there and itself. */
export function partOf({ name, parent }: Share): number {
  if (parent === undefined) return 1;
  const { size = 0 } = parent.children ?? {};
  return partOf(parent) / (parent.children?.has(name) === true ? size : size + 1);
}

/** How a queue divides. */
export interface FairQueueOptions {
  /** How much a share may have in flight now. Read each time. Default: any number. */
  readonly most?: (share: Share) => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** Ends work that was begun, and charges what it cost, in any unit. Calling it again does nothing. */
export type End = (cost?: number) => void;

/** Half of a cost is forgotten after this time, and all of it after ten times as long. */
const HALF_LIFE_MS = 2000;
const FADED_MS = 10 * HALF_LIFE_MS;

/** Bounds what a flood of parties can take: the costs of those that have been idle longest are forgotten. */
const MOST_REMEMBERED = 10_000;

/**
 * Decides whose work is next. The levels of a party divide what there is: first networks, then the accounts of a
 * network, then the sessions of an account. At each level, the share with the least in flight is next, then the one
 * with the least recent cost, then the one that has waited longest. Work of one party keeps its order.
 */
export class FairQueue<T> {
  /** Work that was begun and has not ended. Changed here alone. */
  inFlight = 0;
  /** Work that waits to begin. Changed here alone. */
  waiting = 0;
  readonly #root: Node<T> = { name: '', parent: undefined, level: -1, ...NOTHING };
  readonly #most: ((share: Share) => number) | undefined;
  readonly #now: () => number;
  /** Idle parties that still have a cost; the longest idle first. */
  readonly #idle = new Set<Node<T>>();

  constructor({ most, now = () => performance.now() }: FairQueueOptions = {}) {
    this.#most = most;
    this.#now = now;
  }

  /** How many parties have nothing in flight and no work that waits, but cost something lately. */
  get remembered(): number {
    return this.#idle.size;
  }

  /** What each level of a party has. */
  shares(party: Party): readonly Share[] {
    let parent: Share = this.#root;
    return party.map((name, level) => {
      const isFinest = level === party.length - 1;
      const none = { name, level, isFinest, inFlight: 0, waiting: 0, parent, children: undefined };
      return (parent = parent.children?.get(name) ?? none);
    });
  }

  /** Whether all levels of a party may have more in flight. Whether other work waits is not considered. */
  mayBegin(party: Party): boolean {
    return this.shares(party).every((share) => share.inFlight < (this.#most?.(share) ?? Infinity));
  }

  /** Counts work of a party as in flight until it ends, if all its levels may have more. */
  tryBegin(party: Party): End | undefined {
    const finest = this.#find(party);
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      if (this.#most === undefined || node.inFlight < this.#most(node)) continue;
      this.#forgetIdle(finest);
      return undefined;
    }
    return this.#begin(finest);
  }

  /** Counts work of a party as in flight until it ends. */
  begin(party: Party): End {
    return this.#begin(this.#find(party));
  }

  #begin(finest: Node<T>): End {
    this.inFlight += 1;
    for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) node.inFlight += 1;
    let isInFlight = true;
    return (cost = 0) => {
      if (!isInFlight) return;
      isInFlight = false;
      this.inFlight -= 1;
      for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) node.inFlight -= 1;
      if (cost > 0) this.#charge(finest, cost);
      this.#forgetIdle(finest);
      if (this.#idle.size > 0) this.#forgetFaded();
    };
  }

  /** Charges a party for work that is in flight or has ended. */
  charge(party: Party, cost: number): void {
    const finest = this.#find(party);
    if (cost > 0) this.#charge(finest, cost);
    this.#forgetIdle(finest);
    if (this.#idle.size > 0) this.#forgetFaded();
  }

  /**
   * Adds work to the line of a party. Returns a function that takes it out again, and says whether it was still
   * there.
   */
  add(party: Party, work: T): () => boolean {
    const finest = this.#find(party);
    const entry = { work };
    (finest.line ??= new Set()).add(entry);
    this.waiting += 1;
    for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) {
      node.waiting += 1;
      if (node.waiting === 1 && node.parent !== undefined) (node.parent.ready ??= new Set()).add(node);
    }
    return () => this.#take(finest, entry);
  }

  /** Takes the work that is next out of its line; undefined if none may begin. It is not yet counted as in flight. */
  next(): T | undefined {
    if (this.waiting === 0) return undefined;
    const finest = this.#pick();
    const [entry] = finest?.line ?? [];
    if (finest === undefined || entry === undefined) return undefined;
    this.#take(finest, entry);
    // Among equals it is the last one now.
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      if (node.waiting > 0 && node.parent.ready?.delete(node)) node.parent.ready.add(node);
    }
    return entry.work;
  }

  /** The finest share that is next, level by level. One below which none may begin is passed. */
  #pick(): Node<T> | undefined {
    let now: number | undefined;
    let passed: Set<Node<T>> | undefined;
    let node = this.#root;
    for (;;) {
      if (node.line !== undefined && node.line.size > 0) return node;
      let best: Node<T> | undefined;
      for (const child of node.ready ?? []) {
        if (passed?.has(child) === true || child.inFlight >= (this.#most?.(child) ?? Infinity)) continue;
        if (best === undefined || isBefore(child, best, (now ??= this.#now()))) best = child;
        // None is before one that has nothing: the rest of a crowd need not be looked at.
        if (best.inFlight === 0 && best.cost === 0) break;
      }
      if (best === undefined) {
        if (node.parent === undefined) return undefined;
        (passed ??= new Set()).add(node);
      }
      node = best ?? node.parent ?? this.#root;
    }
  }

  #find(party: Party): Node<T> {
    let node = this.#root;
    for (const name of party) {
      let child = node.children?.get(name);
      if (child === undefined) {
        child = { name, parent: node, level: node.level + 1, ...NOTHING };
        (node.children ??= new Map()).set(name, child);
        node.isFinest = false;
      }
      node = child;
    }
    return node;
  }

  #take(finest: Node<T>, entry: { readonly work: T }): boolean {
    if (finest.line?.delete(entry) !== true) return false;
    this.waiting -= 1;
    for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) {
      node.waiting -= 1;
      if (node.waiting === 0) node.parent?.ready?.delete(node);
    }
    this.#forgetIdle(finest);
    return true;
  }

  #charge(finest: Node<T>, cost: number): void {
    const now = this.#now();
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      node.cost = costAt(node, now) + cost;
      node.chargedAt = now;
    }
  }

  /**
   * Forgets an idle share and the coarser ones above it, up to the first that is busy. One with a cost is forgotten
   * when that has faded.
   */
  #forgetIdle(finest: Node<T>): void {
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      if (node.inFlight > 0 || node.waiting > 0 || (node.children?.size ?? 0) > 0) return;
      if (finest.cost > 0) {
        this.#idle.delete(finest);
        this.#idle.add(finest);
        return;
      }
      node.parent.children?.delete(node.name);
    }
  }

  #forgetFaded(): void {
    const now = this.#now();
    for (const oldest of this.#idle) {
      if (this.#idle.size <= MOST_REMEMBERED && now - oldest.chargedAt <= FADED_MS) return;
      this.#idle.delete(oldest);
      oldest.cost = 0;
      this.#forgetIdle(oldest);
    }
  }
}

/** An object without methods: one is made for each level of nearly every request. */
interface Node<T> extends Share {
  readonly parent: Node<T> | undefined;
  inFlight: number;
  waiting: number;
  isFinest: boolean;
  children: Map<string, Node<T>> | undefined;
  /** The children with work that waits; the one that was served last is the last. */
  ready: Set<Node<T>> | undefined;
  line: Set<{ readonly work: T }> | undefined;
  cost: number;
  chargedAt: number;
}

/** What a share has when it is made. */
const NOTHING = {
  isFinest: true,
  inFlight: 0,
  waiting: 0,
  children: undefined,
  ready: undefined,
  line: undefined,
  cost: 0,
  chargedAt: -Infinity,
};

function costAt<T>({ cost, chargedAt }: Node<T>, now: number): number {
  const age = now - chargedAt;
  return age > FADED_MS ? 0 : cost * 0.5 ** (age / HALF_LIFE_MS);
}

/** Of equal ones, the first stays first. */
function isBefore<T>(one: Node<T>, other: Node<T>, now: number): boolean {
  if (one.inFlight !== other.inFlight) return one.inFlight < other.inFlight;
  return costAt(one, now) < costAt(other, now);
}
