import { type PlatformResponse } from '../connection/platform-response.js';
import { readProjects, readSessionInfo, readUser } from './payload-shapes.js';
import { type PlatformProject, type PlatformSessionInfo, type PlatformUser } from './platform-types.js';
import { LoadedProjects } from './projects.js';
import { type CallOptions, type RequestMethod, type RequestOptions } from './request-options.js';
import { type SessionState } from './session-state.js';

/** Sends one request of a session, as `PlatformSession.request` does. */
export type SendRequest = (
  method: RequestMethod,
  path: string,
  options?: RequestOptions,
) => Promise<PlatformResponse>;

/** The operations that read from the platform. Each needs a token. */
export class SessionReads {
  readonly projects: LoadedProjects;
  readonly #state: SessionState;
  readonly #send: SendRequest;

  constructor(state: SessionState, send: SendRequest) {
    this.#state = state;
    this.#send = send;
    this.projects = new LoadedProjects(state);
  }

  async sessionInfo(call: CallOptions): Promise<PlatformSessionInfo> {
    return readSessionInfo(await this.#get('sessions', call));
  }

  async user(call: CallOptions): Promise<PlatformUser> {
    return readUser(await this.#get('sessions/userInfo', call));
  }

  async listProjects(call: CallOptions): Promise<PlatformProject[]> {
    return readProjects(await this.#get('projects', call));
  }

  async #get(path: string, call: CallOptions): Promise<PlatformResponse> {
    this.#state.requireToken();
    return this.#send('GET', path, call);
  }
}
