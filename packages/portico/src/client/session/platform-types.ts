/**
 * A user, as `GET sessions/userInfo` returns it. Unknown fields are kept; a known field of an unexpected type is left out
 * (spec: User information).
 */
export interface PlatformUser {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  [field: string]: unknown;
}

/**
 * A session, as `GET sessions` returns it. Unknown fields are kept; a known field of an unexpected type is left out (spec: Session status).
 */
export interface PlatformSessionInfo {
  id?: string | null;
  fullName?: string | null;
  initials?: string | null;
  /** Idle seconds after which the platform ends the session. */
  timeout?: number | null;
  /** Locale identifier, such as 1033. */
  locale?: number | null;
  [field: string]: unknown;
}

/** The owner of a project. */
export interface PlatformProjectOwner {
  id?: string | null;
  name?: string | null;
  [field: string]: unknown;
}

/**
 * A project, as `GET projects` lists it. Unknown fields are kept; a known field of an unexpected type is left out (spec: Project).
 */
export interface PlatformProject {
  id: string;
  name: string;
  alias?: string | null;
  description?: string | null;
  /** The platform's state number; 0 is active. */
  status?: number | null;
  /** Date and time in the platform's format, such as `2015-06-30T21:55:35.000+0000`. */
  dateCreated?: string | null;
  /** Date and time in the platform's format. */
  dateModified?: string | null;
  owner?: PlatformProjectOwner | null;
  [field: string]: unknown;
}
