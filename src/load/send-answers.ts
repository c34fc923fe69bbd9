import { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { comesEarly, discardBody } from '../http/lingering-close.js';
import { acceptsGzip, AnswerCompression, LEAST_BYTES } from './answer-compression.js';
import { type Connections } from './connections.js';
import { type RequestSlot } from './request-slot.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the answer carries no secret that its length could reveal: by default none is compressed. */
    mayBeCompressed: boolean;
  }
}

/** Smaller answers fit into the buffers of the operating system. */
const LARGE_BYTES = 64 * 1024;

/**
 * Compresses answers, sends the large ones slice by slice, and counts all of them until their readers have taken
 * them.
 */
export function sendAnswers(server: FastifyInstance, connections: Connections): void {
  const compression = new AnswerCompression();
  server.decorateReply('mayBeCompressed', false);
  server.addHook('onSend', (request, reply, payload, done) => {
    // Absent if an earlier hook has answered.
    const slot = (request.slot as RequestSlot | undefined) ?? connections.slotOf(reply.raw);
    slot?.answered();
    if (typeof payload !== 'string') done(null, payload);
    else if (comesEarly(request.raw)) done(null, lingering(payload, request, reply));
    else if (slot === undefined || payload.length < LEAST_BYTES) {
      if (slot !== undefined) connections.hold(slot, payload.length);
      done(null, payload);
    } else {
      void smallest(Buffer.from(payload), request, reply, compression, connections).then((bytes) => {
        done(null, held(bytes, slot, reply, connections));
      });
    }
  });
}

/** An answer that ends, and closes its connection, when the rest of the request has been read. */
function lingering(payload: string, { raw }: FastifyRequest, reply: FastifyReply): Readable {
  void reply.header('content-length', Buffer.byteLength(payload)).header('connection', 'close');
  return Readable.from(
    (async function* () {
      yield payload;
      await discardBody(raw);
    })(),
    { objectMode: false },
  );
}

/**
 * Compressed, if the answer may be, the caller accepts that, and there is room. Meanwhile it counts as an unsent
 * answer.
 */
async function smallest(
  bytes: Buffer,
  { headers, caller }: FastifyRequest,
  reply: FastifyReply,
  compression: AnswerCompression,
  connections: Connections,
): Promise<Buffer> {
  if (!reply.mayBeCompressed) return bytes;
  addVary(reply);
  if (!acceptsGzip(headers['accept-encoding'])) return bytes;
  const compressed = await connections.whileHeld(bytes.byteLength, () =>
    compression.gzip(bytes, caller.presented?.handle ?? caller.address),
  );
  if (compressed === undefined) return bytes;
  void reply.header('content-encoding', 'gzip');
  return compressed;
}

function held(
  bytes: Buffer,
  slot: RequestSlot,
  reply: FastifyReply,
  connections: Connections,
): Buffer | Readable {
  void reply.header('content-length', bytes.byteLength);
  connections.hold(slot, bytes.byteLength);
  return bytes.byteLength < LARGE_BYTES ? bytes : connections.pace(slot, bytes);
}

/** What a cache between here and the caller would need to know if it kept the answer. */
function addVary(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}
