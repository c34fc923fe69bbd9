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
  /** Its part of the whole, from 0 to 1, if each level were divided equally among those that are there. */
  readonly part: number;
}

/**
 * By level, except the finest: a share grows only while it has less than this many times what is left. A network
 * alone gets three quarters of all there is, and its guests two thirds, so that others find something free without
 * waiting.
 */
const GROWTH = [3, 2];

/** How much a share may have in flight of what others may need at any time, such as sockets. */
export function growingShare({ level }: Share, left: number): number {
  return (GROWTH[level] ?? Infinity) * left;
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
  readonly #root = new Node<T>('', undefined);
  readonly #most: (share: Share) => number;
  readonly #now: () => number;
  /** Idle shares that still have a cost; the longest idle first. */
  readonly #idle = new Set<Node<T>>();

  constructor({ most = () => Infinity, now = () => performance.now() }: FairQueueOptions = {}) {
    this.#most = most;
    this.#now = now;
  }

  /** Work that was begun and has not ended. */
  get inFlight(): number {
    return this.#root.inFlight;
  }

  /** Work that waits to begin. */
  get waiting(): number {
    return this.#root.waiting;
  }

  /** How many parties have nothing in flight and no work that waits, but cost something lately. */
  get remembered(): number {
    return this.#idle.size;
  }

  /** What each level of a party has. */
  shares(party: Party): readonly Share[] {
    let part = 1;
    let siblings = this.#root.children;
    return party.map((name, level) => {
      const node = siblings?.get(name);
      part = node?.part ?? part / (1 + (siblings?.size ?? 0));
      siblings = node?.children;
      return node ?? { name, level, isFinest: level === party.length - 1, inFlight: 0, waiting: 0, part };
    });
  }

  /** Whether all levels of a party may have more in flight. Whether other work waits is not considered. */
  mayBegin(party: Party): boolean {
    return this.shares(party).every((share) => share.inFlight < this.#most(share));
  }

  /** Counts work of a party as in flight until it ends. */
  begin(party: Party): End {
    const finest = this.#find(party);
    for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) node.inFlight += 1;
    let isInFlight = true;
    return (cost = 0) => {
      if (!isInFlight) return;
      isInFlight = false;
      for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) node.inFlight -= 1;
      this.#charge(finest, cost);
      this.#forgetIdle(finest);
    };
  }

  /** Charges a party for work that is in flight or has ended. */
  charge(party: Party, cost: number): void {
    const finest = this.#find(party);
    this.#charge(finest, cost);
    this.#forgetIdle(finest);
  }

  /**
   * Adds work to the line of a party. Returns a function that takes it out again, and says whether it was still
   * there.
   */
  add(party: Party, work: T): () => boolean {
    const finest = this.#find(party);
    const entry = { work };
    (finest.line ??= new Set()).add(entry);
    addWaiting(finest);
    return () => {
      if (!this.#remove(finest, entry)) return false;
      this.#forgetIdle(finest);
      return true;
    };
  }

  /** Takes the work that is next out of its line; undefined if none may begin. It is not yet counted as in flight. */
  next(): T | undefined {
    const finest = this.#pick(this.#root);
    const [entry] = finest?.line ?? [];
    if (finest === undefined || entry === undefined) return undefined;
    this.#remove(finest, entry);
    // Among equals it is the last one now.
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      if (node.waiting > 0 && node.parent.ready?.delete(node)) node.parent.ready.add(node);
    }
    this.#forgetIdle(finest);
    return entry.work;
  }

  #pick(node: Node<T>): Node<T> | undefined {
    if (node.line !== undefined && node.line.size > 0) return node;
    const now = this.#now();
    let passed: Set<Node<T>> | undefined;
    for (;;) {
      let best: Node<T> | undefined;
      for (const child of node.ready ?? []) {
        if (passed?.has(child) === true || child.inFlight >= this.#most(child)) continue;
        if (best === undefined || isBefore(child, best, now)) best = child;
      }
      if (best === undefined) return undefined;
      const found = this.#pick(best);
      if (found !== undefined) return found;
      (passed ??= new Set()).add(best);
    }
  }

  #find(party: Party): Node<T> {
    let node = this.#root;
    for (const name of party) {
      let child = node.children?.get(name);
      if (child === undefined) {
        child = new Node(name, node);
        (node.children ??= new Map()).set(name, child);
      }
      node = child;
    }
    return node;
  }

  #remove(finest: Node<T>, entry: { readonly work: T }): boolean {
    if (finest.line?.delete(entry) !== true) return false;
    for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) {
      node.waiting -= 1;
      if (node.waiting === 0) node.parent?.ready?.delete(node);
    }
    return true;
  }

  #charge(finest: Node<T>, cost: number): void {
    if (cost === 0) return;
    const now = this.#now();
    for (let node = finest; node.parent !== undefined; node = node.parent) {
      node.cost = node.costAt(now) + cost;
      node.chargedAt = now;
    }
  }

  /** An idle share without a cost is forgotten, and one with a cost when that has faded. */
  #forgetIdle(node: Node<T>): void {
    const now = this.#now();
    if (!node.isBusy && now - node.chargedAt > FADED_MS) this.#forget(node);
    else if (!node.isBusy) {
      this.#idle.delete(node);
      this.#idle.add(node);
    }
    for (const oldest of this.#idle) {
      if (this.#idle.size <= MOST_REMEMBERED && now - oldest.chargedAt <= FADED_MS) break;
      if (oldest.isBusy) this.#idle.delete(oldest);
      else this.#forget(oldest);
    }
  }

  /** Its coarser levels go with the last share of theirs. */
  #forget(node: Node<T>): void {
    this.#idle.delete(node);
    node.parent?.children?.delete(node.name);
    if (node.parent?.parent !== undefined && !node.parent.isBusy) this.#forget(node.parent);
  }
}

class Node<T> implements Share {
  readonly name: string;
  readonly parent: Node<T> | undefined;
  readonly level: number;
  inFlight = 0;
  waiting = 0;
  children: Map<string, Node<T>> | undefined;
  /** The children with work that waits; the one that was served last is the last. */
  ready: Set<Node<T>> | undefined;
  line: Set<{ readonly work: T }> | undefined;
  cost = 0;
  chargedAt = -Infinity;

  constructor(name: string, parent: Node<T> | undefined) {
    this.name = name;
    this.parent = parent;
    this.level = parent === undefined ? -1 : parent.level + 1;
  }

  get isFinest(): boolean {
    return this.children === undefined;
  }

  get part(): number {
    if (this.parent === undefined) return 1;
    return this.parent.part / Math.max(1, this.parent.children?.size ?? 1);
  }

  get isBusy(): boolean {
    return this.inFlight > 0 || this.waiting > 0 || (this.children?.size ?? 0) > 0;
  }

  costAt(now: number): number {
    const age = now - this.chargedAt;
    return age > FADED_MS ? 0 : this.cost * 0.5 ** (age / HALF_LIFE_MS);
  }
}

function addWaiting<T>(finest: Node<T>): void {
  for (let node: Node<T> | undefined = finest; node !== undefined; node = node.parent) {
    node.waiting += 1;
    if (node.waiting === 1 && node.parent !== undefined) (node.parent.ready ??= new Set()).add(node);
  }
}

/** Of equal ones, the first stays first. */
function isBefore<T>(one: Node<T>, other: Node<T>, now: number): boolean {
  if (one.inFlight !== other.inFlight) return one.inFlight < other.inFlight;
  return one.costAt(now) < other.costAt(now);
}
