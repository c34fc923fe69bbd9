import { type LoggerService } from '@nestjs/common';
import { type FastifyBaseLogger } from 'fastify';

/**
 * A message with fields of its own in the log. The fields come from closed sets, or are bounded where they are made.
 */
export class LogLine {
  constructor(
    readonly message: string,
    readonly fields: Readonly<Record<string, unknown>>,
  ) {}
}

/**
 * Nest's messages about its own start are useful only for debugging. Its errors are also thrown, and reported where
 * they are caught.
 */
const BOOT_CONTEXTS: ReadonlySet<string> = new Set([
  'ExceptionHandler',
  'GraphQLModule',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Nest's logger, writing JSON lines. Nest passes the context as the last parameter. */
export class ServiceLogger implements LoggerService {
  readonly #lines: FastifyBaseLogger;
  readonly #isForeseen: (error: unknown) => boolean;

  /** @param isForeseen whether an error is part of the answer; Nest logs each as if it were a fault. */
  constructor(lines: FastifyBaseLogger, isForeseen: (error: unknown) => boolean) {
    this.#lines = lines;
    this.#isForeseen = isForeseen;
  }

  fatal(message: unknown, ...parameters: unknown[]): void {
    this.#write('fatal', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.#write('error', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.#write('warn', message, parameters);
  }

  log(message: unknown, ...parameters: unknown[]): void {
    this.#write('info', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.#write('debug', message, parameters);
  }

  verbose(message: unknown, ...parameters: unknown[]): void {
    this.#write('trace', message, parameters);
  }

  #write(level: Level, message: unknown, parameters: unknown[]): void {
    const last = parameters.at(-1);
    const context = typeof last === 'string' ? last : undefined;
    const isDetail = context !== undefined && BOOT_CONTEXTS.has(context);
    const actual = isDetail || this.#isForeseen(message) ? 'debug' : level;
    if (message instanceof Error) this.#lines[actual]({ context, err: message });
    else if (message instanceof LogLine) this.#lines[actual]({ context, ...message.fields }, message.message);
    else this.#lines[actual]({ context }, String(message));
  }
}
