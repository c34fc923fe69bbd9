import { readFile } from 'node:fs/promises';
import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';
import { isRecord } from './rules.js';

/** Bytes: Vault itself takes no secret over 1 MiB by default, and an answer adds little. */
const LARGEST_ANSWER = 2 * 1024 * 1024;

export interface VaultAddress {
  readonly address: string;
  readonly namespace?: string | undefined;
  readonly caFile?: string | undefined;
}

export interface VaultRequest {
  /** Below `/v1/`. */
  readonly path: string;
  readonly token?: string | undefined;
  /** Sent by POST; without it the request is a GET. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

export interface VaultAnswer {
  readonly status: number;
  /** Empty if the answer is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A Vault or OpenBao server's HTTP API. */
export type VaultServer = (request: VaultRequest) => Promise<VaultAnswer>;

/**
 * Prepares the connections to a server. Redirects are not followed: a token must not go to an address that is not configured.
 *
 * @throws CredentialError `NOT_CONFIGURED` when the CA file cannot be read
 */
export async function openVaultServer(
  origin: SecretOrigin,
  { address, namespace, caFile }: VaultAddress,
): Promise<VaultServer> {
  const { Agent, request } = await import('undici');
  const ca = caFile === undefined ? undefined : await readCa(origin, caFile);
  const dispatcher = new Agent({ maxResponseSize: LARGEST_ANSWER, ...(ca && { connect: { ca } }) });
  return async ({ path, token, body, signal }) => {
    const response = await request(`${address.replace(/\/+$/, '')}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        // Agents and proxies in front of the server may require it, as a protection against forged requests.
        'x-vault-request': 'true',
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
      dispatcher,
    });
    return { status: response.statusCode, body: jsonObject(await response.body.text()) };
  };
}

async function readCa(origin: SecretOrigin, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new CredentialError(origin, 'NOT_CONFIGURED', `the CA file ${path} cannot be read`);
  }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
