import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { callerAddress } from '../http/address.js';
import { Descriptors, mostConnections } from './descriptors.js';
import { PacedBody } from './paced-body.js';
import { RequestSlot } from './request-slot.js';
import { type Newcomer, SuspectNetworks } from './suspect-networks.js';

/**
 * Why a connection was ended: too many unanswered requests, an answer that is not read, or too many of its network.
 */
export const CUT_REASONS = ['pipelined', 'unread', 'network'] as const;
export type CutReason = (typeof CUT_REASONS)[number];

export interface ConnectionLimits {
  /**
   * Unanswered requests of one connection. No browser and no GraphQL client sends a second one before the first is
   * answered.
   */
  readonly unanswered: number;
  /** A reader that takes nothing for this long is cut off. */
  readonly idleMs: number;
  /** What waits for a reader must be read at least this fast on average. */
  readonly bytesPerSecond: number;
  /** If more bytes wait in all, connections are cut off, first of the network with most of them. */
  readonly unsentBytes: number;
  /** Open connections, in all. */
  readonly open: number;
}

export const CONNECTION_LIMITS: Omit<ConnectionLimits, 'open'> = {
  unanswered: 8,
  idleMs: 10_000,
  bytesPerSecond: 16 * 1024,
  unsentBytes: 64 * 1024 * 1024,
};

export interface ConnectionOptions {
  /** Called when there is room for another large answer. */
  readonly onRoom: () => void;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: (() => number) | undefined;
}

/** One network may open this many times what is left free: alone two thirds of all, and less the more others have. */
const NETWORK_SHARE = 2;

/** What several answers on one connection may have of the unsent bytes, together. */
const CONNECTION_SHARE = 1 / 8;

/** All connections, with what each has asked and not yet taken. Bounds both, and how many belong to one network. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #now: () => number;
  readonly #onRoom: () => void;
  readonly #open = new Map<Socket, Connection>();
  readonly #networks = new Map<string, number>();
  readonly #suspects: SuspectNetworks;
  readonly descriptors = new Descriptors();
  readonly cuts: Record<CutReason, number> = { pipelined: 0, unread: 0, network: 0 };
  #reported = { ...this.cuts };
  #unsent = 0;

  constructor({ onRoom, limits, now = () => performance.now() }: ConnectionOptions) {
    this.#limits = { ...CONNECTION_LIMITS, open: mostConnections(), ...limits };
    this.#onRoom = onRoom;
    this.#now = now;
    this.#suspects = new SuspectNetworks(now);
  }

  /** How many connections have been ended since this was last asked. */
  takeCuts(): Record<CutReason, number> {
    const { pipelined, unread, network } = this.#reported;
    const { cuts } = this;
    this.#reported = { ...cuts };
    return {
      pipelined: cuts.pipelined - pipelined,
      unread: cuts.unread - unread,
      network: cuts.network - network,
    };
  }

  /** Bytes of answers that are compressed or wait for their readers. */
  get unsentBytes(): number {
    return this.#unsent;
  }

  /** Whether another large answer can be made without a connection being cut off. */
  readonly hasRoom = (): boolean => this.#unsent < this.#limits.unsentBytes / 4;

  /** Whether part of an answer has been written to a connection: nothing else may be written into it. */
  readonly isAnswering = (socket: Socket): boolean => {
    const slots = this.#open.get(socket)?.slots.keys() ?? [];
    return [...slots].some((response) => response.headersSent);
  };

  /** Takes a new connection, or ends it if its network has its share. */
  readonly accept = (socket: Socket): void => {
    const { remoteAddress } = socket;
    // A connection that is gone already has no address.
    if (remoteAddress === undefined) return;
    const { network } = callerAddress(remoteAddress);
    const others = this.#networks.get(network) ?? 0;
    const most = NETWORK_SHARE * (this.#limits.open - this.#open.size);
    if (others >= most || !this.#suspects.admit({ socket, network })) {
      this.#cut(socket, 'network');
      return;
    }
    this.#networks.set(network, others + 1);
    const nothing = { hasAsked: false, unsent: 0, taken: 0, waiting: undefined };
    this.#open.set(socket, { socket, network, slots: new Map(), tookAt: this.#now(), ...nothing });
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#networks.get(network) ?? 1) - 1;
      if (left === 0) this.#networks.delete(network);
      else this.#networks.set(network, left);
    });
  };

  /**
   * A request has been read.
   *
   * @returns false if it must not be answered, because its connection has been cut. One packet can bring 2,000
   * requests, so further ones may follow.
   */
  begin(response: ServerResponse): boolean {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined || socket.destroyed) return false;
    if (connection.slots.size >= this.#limits.unanswered) {
      this.#suspects.suspect(connection.network, this.#newcomers());
      closeQuietly(socket);
      this.#cut(socket, 'pipelined');
      return false;
    }
    const slot = new RequestSlot(response, (closed) => {
      connection.slots.delete(response);
      this.#take(connection, closed);
    });
    connection.slots.set(response, slot);
    connection.hasAsked = true;
    return true;
  }

  /** What a request takes up; undefined for one that did not come over a connection. */
  slotOf(response: ServerResponse): RequestSlot | undefined {
    return this.#open.get(response.req.socket)?.slots.get(response);
  }

  /** Counts bytes while they are being compressed. */
  async whileHeld<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#unsent += bytes;
    try {
      return await work();
    } finally {
      const hadRoom = this.hasRoom();
      this.#unsent -= bytes;
      if (!hadRoom) this.#onRoom();
    }
  }

  /** Counts an answer until its reader has taken it. */
  hold(slot: RequestSlot, bytes: number): void {
    const connection = this.#open.get(slot.response.req.socket);
    if (connection?.slots.has(slot.response) !== true) return;
    if (connection.unsent === 0) connection.tookAt = this.#now();
    connection.unsent += bytes;
    slot.unsent += bytes;
    this.#unsent += bytes;
    const { unsentBytes } = this.#limits;
    // Who asks for more before it has read what it has asked for.
    if (connection.slots.size > 1 && connection.unsent > unsentBytes * CONNECTION_SHARE)
      this.#cut(connection.socket, 'unread');
    else if (this.#unsent > unsentBytes) this.#makeRoom(connection);
  }

  /** A large answer, to be sent slice by slice. */
  pace(slot: RequestSlot, bytes: Buffer): PacedBody | Buffer {
    const connection = this.#open.get(slot.response.req.socket);
    if (connection === undefined) return bytes;
    const body = new PacedBody(bytes, () => {
      connection.tookAt = this.#now();
    });
    slot.body = body;
    return body;
  }

  /** Ends the connections whose readers take nothing, or too little. Has to be called about once a second. */
  sweep(): void {
    this.descriptors.look();
    const now = this.#now();
    for (const connection of this.#open.values()) {
      if (connection.slots.size > 0 && isStuck(connection, now, this.#limits))
        this.#cut(connection.socket, 'unread');
    }
  }

  #newcomers(): Newcomer[] {
    return [...this.#open.values()].filter(({ hasAsked }) => !hasAsked);
  }

  #take(connection: Connection, slot: RequestSlot): void {
    const hadRoom = this.hasRoom();
    connection.unsent -= slot.unsent;
    this.#unsent -= slot.unsent;
    slot.unsent = 0;
    if (!hadRoom) this.#onRoom();
  }

  /** The network with the most unsent bytes gives room first, and there the connection that has waited longest. */
  #makeRoom(newest: Connection): void {
    const byNetwork = new Map<string, number>();
    const waiting = [...this.#open.values()].filter(({ unsent }) => unsent > 0);
    for (const { network, unsent } of waiting) byNetwork.set(network, (byNetwork.get(network) ?? 0) + unsent);
    const sizeOf = ({ network }: Connection): number => byNetwork.get(network) ?? 0;
    waiting.sort((one, other) => sizeOf(other) - sizeOf(one) || one.tookAt - other.tookAt);
    for (const connection of waiting) {
      if (this.#unsent <= this.#limits.unsentBytes) return;
      if (connection === newest) continue;
      this.#cut(connection.socket, 'unread');
      for (const slot of connection.slots.values()) this.#take(connection, slot);
    }
  }

  #cut(socket: Socket, reason: CutReason): void {
    if (socket.destroyed) return;
    this.cuts[reason] += 1;
    socket.destroy();
  }
}

/**
 * While a connection closes, Node makes an error for each request that it had read, and nothing reads these errors.
 * Without their stacks, a packet of 2,000 requests takes 12 ms instead of 70.
 */
function closeQuietly(socket: Socket): void {
  let limit: number;
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}

/** One connection of a caller. */
interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Of its unanswered requests, in order. */
  readonly slots: Map<ServerResponse, RequestSlot>;
  hasAsked: boolean;
  /** Bytes of answers that wait for the reader. */
  unsent: number;
  /** When its reader last took something, or had nothing to take. */
  tookAt: number;
  /** How much its reader has taken. */
  taken: number;
  /** Since when something has been waiting for it, and how much it had taken by then. */
  waiting: { readonly since: number; readonly taken: number } | undefined;
}

/** Whether its reader takes nothing, or too little. */
function isStuck(connection: Connection, now: number, { idleMs, bytesPerSecond }: ConnectionLimits): boolean {
  const { bytesWritten, writableLength } = connection.socket;
  const taken = bytesWritten - writableLength;
  if (writableLength === 0 || taken > connection.taken) connection.tookAt = now;
  connection.taken = taken;
  if (writableLength === 0) {
    connection.waiting = undefined;
    return false;
  }
  connection.waiting ??= { since: now, taken };
  const { since, taken: before } = connection.waiting;
  let size = bytesWritten - before;
  for (const slot of connection.slots.values()) size += notWritten(slot);
  return now - connection.tookAt >= idleMs || now - since > idleMs + (size / bytesPerSecond) * 1000;
}

/** Bytes of an answer that wait behind another one, or in slices to come. */
function notWritten({ response, body }: RequestSlot): number {
  return (response.socket === null ? response.writableLength : 0) + (body?.left ?? 0);
}
