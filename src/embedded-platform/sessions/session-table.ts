import { type Account } from '../accounts/accounts.js';
import { sessionsExceeded } from '../wire/errors.js';
import { randomId, randomToken } from '../accounts/random-ids.js';

/** What the back end knows of a login. A delegated web session shares it with the one that minted its token. */
export interface IServerSession {
  readonly account: Account;
  readonly webSessions: Set<WebSession>;
  /** Calls made since the login. */
  calls: number;
}

/** What one client holds: a token and a cookie, each useless without the other. */
export interface WebSession {
  readonly token: string;
  readonly cookie: string;
  readonly iServerSession: IServerSession;
  readonly idleSeconds: number;
  prolongedAt: number;
}

interface SessionTableOptions {
  readonly now: () => number;
  readonly idleSeconds: number;
  readonly maxSessions: number;
}

/** The open sessions. Holds no timer: what is idle too long goes when anything looks or opens. */
export class SessionTable {
  /** Longest idle first, since prolonging puts a session at the end. */
  private readonly byToken = new Map<string, WebSession>();

  constructor(private readonly options: SessionTableOptions) {}

  get size(): number {
    return this.byToken.size;
  }

  /** @throws Refusal when the table is full of sessions still in use. */
  open(account: Account): WebSession {
    return this.join({ account, webSessions: new Set(), calls: 0 });
  }

  /** A further web session on a back-end session that is open. */
  join(iServerSession: IServerSession): WebSession {
    this.sweep();
    if (this.byToken.size >= this.options.maxSessions) throw sessionsExceeded();
    const session: WebSession = {
      token: randomToken(),
      cookie: randomId(),
      iServerSession,
      idleSeconds: iServerSession.account.idleSeconds ?? this.options.idleSeconds,
      prolongedAt: this.options.now(),
    };
    this.byToken.set(session.token, session);
    iServerSession.webSessions.add(session);
    return session;
  }

  /** The session of a token, if one of the cookies is its own and it has not timed out. */
  find(token: string, cookies: readonly string[]): WebSession | undefined {
    this.sweep();
    const session = this.byToken.get(token);
    return session && cookies.includes(session.cookie) && !this.isIdle(session) ? session : undefined;
  }

  isOpen({ webSessions }: IServerSession): boolean {
    return [...webSessions].some((session) => !this.isIdle(session));
  }

  prolong(session: WebSession): void {
    session.prolongedAt = this.options.now();
    this.byToken.delete(session.token);
    this.byToken.set(session.token, session);
  }

  /** Ends the back-end session, and with it every web session that shares it. */
  end(iServerSession: IServerSession): void {
    for (const session of iServerSession.webSessions) this.remove(session);
  }

  private isIdle({ prolongedAt, idleSeconds }: WebSession): boolean {
    return this.options.now() - prolongedAt >= idleSeconds * 1000;
  }

  /** Stops at the first session in use: the rest were prolonged later. */
  private sweep(): void {
    for (const session of this.byToken.values()) {
      if (!this.isIdle(session)) return;
      this.remove(session);
    }
  }

  private remove(session: WebSession): void {
    this.byToken.delete(session.token);
    session.iServerSession.webSessions.delete(session);
  }
}
