/** HTTP methods that a request may have. */
export type RequestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What any operation takes besides its own arguments. */
export interface CallOptions {
  /** Aborts the call, which then ends with `ExecutionCancelledError`. */
  signal?: AbortSignal | undefined;
}

/** How one request differs from a plain one (spec: Client session operations, request). */
export interface RequestOptions extends CallOptions {
  /** Whether the token is sent. Default true. */
  includeAuth?: boolean | undefined;
  /** Sent as `X-<vendor>-ProjectID` with this call only. */
  projectId?: string | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Further request headers; those that the client sets itself are refused. */
  headers?: Readonly<Record<string, string>> | undefined;
}
