/** What to log in with; nothing at all is an anonymous login. Null is as good as absent; an empty text is not. */
export interface LoginCredentials {
  /** With a password: mode 1. Alone: mode 4096, as a trusted user. */
  username?: string | null | undefined;
  /** Counts only together with a user name; it may be empty. */
  password?: string | null | undefined;
  /** Mode 4096, unless user name and password are both given. */
  apiKey?: string | null | undefined;
  /** Application type identifier. Default: the client's. */
  applicationType?: number | null | undefined;
}

/** Spec: Login request body. 1 standard, 4096 trusted or API key, 8 anonymous. */
export type LoginMode = 1 | 4096 | 8;

/** The JSON body of `POST auth/login`. */
export interface LoginRequest {
  readonly username?: string;
  readonly password?: string;
  readonly loginMode: LoginMode;
  readonly applicationType: number;
}

/** Spec, Endpoints: user name and password make mode 1, else an API key 4096, else a user name alone 4096, else 8. */
export function loginRequest(credentials: LoginCredentials, defaultApplicationType: number): LoginRequest {
  const username = credentials.username ?? undefined;
  const password = credentials.password ?? undefined;
  const applicationType = credentials.applicationType ?? defaultApplicationType;
  if (username !== undefined && password !== undefined) {
    return { username, password, loginMode: 1, applicationType };
  }
  const trusted = credentials.apiKey ?? username;
  if (trusted !== undefined) return { username: trusted, loginMode: 4096, applicationType };
  return { loginMode: 8, applicationType };
}

/** The JSON body of `POST auth/delegate` (spec: Delegate request body). */
export interface DelegateRequest {
  readonly loginMode: -1;
  readonly identityToken: string;
}

/** The delegate body; it names no application type. */
export function delegateRequest(identityToken: string): DelegateRequest {
  return { loginMode: -1, identityToken };
}
