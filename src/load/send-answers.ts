import { type Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip, AnswerCompression, LEAST_BYTES } from './answer-compression.js';
import { type UnsentAnswers } from './unsent-answers.js';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the answer carries no secret that its length could reveal: by default none is compressed. */
    mayBeCompressed: boolean;
  }
}

/** Smaller answers fit into the buffers of the operating system. */
const LARGE_BYTES = 64 * 1024;

/** Compresses answers, sends the large ones slice by slice, and limits how long all of them wait for their readers. */
export function sendAnswers(server: FastifyInstance, unsent: UnsentAnswers): void {
  const compression = new AnswerCompression();
  server.decorateReply('mayBeCompressed', false);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < LEAST_BYTES) {
      unsent.limitWait(reply.raw);
      done(null, payload);
      return;
    }
    const bytes = Buffer.from(payload);
    if (!reply.mayBeCompressed) {
      done(null, sent(bytes, reply, unsent));
      return;
    }
    addVary(reply);
    void smallest(bytes, request, reply, compression, unsent).then((smaller) => {
      done(null, sent(smaller, reply, unsent));
    });
  });
}

/** Compressed, if the caller accepts that and there is room for it. Meanwhile it counts as an unsent answer. */
async function smallest(
  bytes: Buffer,
  request: FastifyRequest,
  reply: FastifyReply,
  compression: AnswerCompression,
  unsent: UnsentAnswers,
): Promise<Buffer> {
  if (!acceptsGzip(request.headers['accept-encoding'])) return bytes;
  const compressed = await unsent.whileHeld(bytes.byteLength, () =>
    compression.gzip(bytes, callerOf(request)),
  );
  if (compressed === undefined) return bytes;
  void reply.header('content-encoding', 'gzip');
  return compressed;
}

function sent(bytes: Buffer, reply: FastifyReply, unsent: UnsentAnswers): Buffer | Readable {
  void reply.header('content-length', bytes.byteLength);
  if (bytes.byteLength >= LARGE_BYTES) return unsent.paced(bytes, reply.raw) ?? bytes;
  unsent.limitWait(reply.raw);
  return bytes;
}

/** A session, or an address; the same for all callers if callers are not read. */
function callerOf({ caller }: { readonly caller?: FastifyRequest['caller'] }): string {
  return caller?.presented?.handle ?? caller?.address ?? '';
}

/** What a cache between here and the caller would need to know if it kept the answer. */
function addVary(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  void reply.header('vary', others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`);
}
