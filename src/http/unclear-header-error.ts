/**
 * A header that can be read in more than one way, or in none. Its message is for the caller: it names
 * the header and quotes nothing. Fastify answers with the status.
 */
export class UnclearHeaderError extends Error {
  override readonly name = 'UnclearHeaderError';
  readonly statusCode = 400;
}
