import { type Account } from './accounts.js';
import { randomId, randomToken } from './ids.js';
import { serverSessionLimitReached } from './errors.js';

/** The back end's side of a login. A delegated web session shares it with the session that created its token. */
export interface IServerSession {
  readonly account: Account;
  readonly webSessions: Set<WebSession>;
  /** Calls since the login. */
  calls: number;
}

/** A client's side of a login: a token and a cookie, each useless without the other. */
export interface WebSession {
  readonly token: string;
  readonly cookie: string;
  readonly iServerSession: IServerSession;
  readonly idleSeconds: number;
  extendedAt: number;
}

interface SessionTableOptions {
  readonly now: () => number;
  readonly idleSeconds: number;
  readonly maxSessions: number;
}

/** The open sessions. There is no timer: each lookup and each new session removes those that have timed out. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  /** Longest idle first, since extending moves a session to the end. */
  readonly #byToken = new Map<string, WebSession>();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byToken.size;
  }

  /** @throws Refusal when the table is full of sessions that are in use. */
  open(account: Account): WebSession {
    return this.join({ account, webSessions: new Set(), calls: 0 });
  }

  /** Another web session on a back-end session that is open. */
  join(iServerSession: IServerSession): WebSession {
    const { now, idleSeconds, maxSessions } = this.#options;
    this.#removeTimedOut();
    if (this.#byToken.size >= maxSessions) throw serverSessionLimitReached();
    const session: WebSession = {
      token: randomToken(),
      cookie: randomId(),
      iServerSession,
      idleSeconds: iServerSession.account.idleSeconds ?? idleSeconds,
      extendedAt: now(),
    };
    this.#byToken.set(session.token, session);
    iServerSession.webSessions.add(session);
    return session;
  }

  /** The session of a token, if one of the cookies belongs to it and it has not timed out. */
  find(token: string, cookies: readonly string[]): WebSession | undefined {
    this.#removeTimedOut();
    const session = this.#byToken.get(token);
    return session && cookies.includes(session.cookie) && !this.#isIdle(session) ? session : undefined;
  }

  isOpen({ webSessions }: IServerSession): boolean {
    return [...webSessions].some((session) => !this.#isIdle(session));
  }

  extend(session: WebSession): void {
    session.extendedAt = this.#options.now();
    this.#byToken.delete(session.token);
    this.#byToken.set(session.token, session);
  }

  /** Ends the back-end session and every web session that shares it. */
  end(iServerSession: IServerSession): void {
    for (const session of iServerSession.webSessions) this.#remove(session);
  }

  /** Ends all sessions, as a platform does that restarts. */
  endAll(): void {
    for (const session of this.#byToken.values()) this.#remove(session);
  }

  #isIdle({ extendedAt, idleSeconds }: WebSession): boolean {
    return this.#options.now() - extendedAt >= idleSeconds * 1000;
  }

  /** Stops at the first session in use: the rest were extended later. A shorter one behind it is removed later. */
  #removeTimedOut(): void {
    for (const session of this.#byToken.values()) {
      if (!this.#isIdle(session)) return;
      this.#remove(session);
    }
  }

  #remove(session: WebSession): void {
    this.#byToken.delete(session.token);
    session.iServerSession.webSessions.delete(session);
  }
}
