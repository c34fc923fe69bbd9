import { sessionsExceeded } from '../wire/errors.js';
import { randomToken } from '../accounts/random-ids.js';
import { type IServerSession } from './session-table.js';

const LIFE_MS = 60_000;

interface IdentityTokensOptions {
  readonly now: () => number;
  readonly maxTokens: number;
}

/** Tokens that let another client join a session: good for one use within 60 seconds. */
export class IdentityTokens {
  /** Oldest first: all live equally long. */
  private readonly byToken = new Map<string, { iServerSession: IServerSession; mintedAt: number }>();

  constructor(private readonly options: IdentityTokensOptions) {}

  get size(): number {
    return this.byToken.size;
  }

  /** @throws Refusal when there are too many unused tokens. */
  mint(iServerSession: IServerSession): string {
    this.sweep();
    if (this.byToken.size >= this.options.maxTokens) throw sessionsExceeded();
    const token = randomToken();
    this.byToken.set(token, { iServerSession, mintedAt: this.options.now() });
    return token;
  }

  /** The session that the token stands for, the token staying good. */
  peek(token: string): IServerSession | undefined {
    this.sweep();
    return this.byToken.get(token)?.iServerSession;
  }

  /** The session that the token stands for, the token being used up. */
  redeem(token: string): IServerSession | undefined {
    const iServerSession = this.peek(token);
    this.byToken.delete(token);
    return iServerSession;
  }

  private sweep(): void {
    const oldest = this.options.now() - LIFE_MS;
    for (const [token, { mintedAt }] of this.byToken) {
      if (mintedAt > oldest) return;
      this.byToken.delete(token);
    }
  }
}
