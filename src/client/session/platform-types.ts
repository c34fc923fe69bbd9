/**
 * A user as `GET sessions/userInfo` shows it; fields that are not named here are kept, and
 * one of another type than here is left out (spec: User information).
 */
export interface PlatformUser {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  [field: string]: unknown;
}

/**
 * A session as `GET sessions` shows it; fields that are not named here are kept, and
 * one of another type than here is left out (spec: Session status).
 */
export interface PlatformSessionInfo {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  /** Seconds without a call after which the platform ends the session. */
  timeout?: number | null;
  /** Locale identifier, such as 1033. */
  locale?: number | null;
  [field: string]: unknown;
}

/** Who owns a project. */
export interface PlatformProjectOwner {
  id?: string | null;
  name?: string | null;
  [field: string]: unknown;
}

/**
 * A project as `GET projects` lists it; fields that are not named here are kept, and
 * one of another type than here is left out (spec: Project).
 */
export interface PlatformProject {
  id: string;
  name: string;
  alias?: string | null;
  description?: string | null;
  /** The platform's state number; 0 is active. */
  status?: number | null;
  /** Date and time as the platform writes it, such as `2015-06-30T21:55:35.000+0000`. */
  dateCreated?: string | null;
  /** Date and time as the platform writes it. */
  dateModified?: string | null;
  owner?: PlatformProjectOwner | null;
  [field: string]: unknown;
}
