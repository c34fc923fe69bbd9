import { type LoggerService } from '@nestjs/common';
import { type FastifyBaseLogger } from 'fastify';

/**
 * What Nest tells of its own start is of use to whoever debugs it, and noise to everybody else. Its errors are thrown
 * as well, and told by whoever catches them.
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

/** Nest's logger, writing JSON lines. Nest gives the context last. */
export class ServiceLogger implements LoggerService {
  /** @param isForeseen whether an error has a place in the answer: Nest tells of each as if it were a fault. */
  constructor(
    private readonly lines: FastifyBaseLogger,
    private readonly isForeseen: (error: unknown) => boolean,
  ) {}

  fatal(message: unknown, ...parameters: unknown[]): void {
    this.write('fatal', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.write('error', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.write('warn', message, parameters);
  }

  log(message: unknown, ...parameters: unknown[]): void {
    this.write('info', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.write('debug', message, parameters);
  }

  verbose(message: unknown, ...parameters: unknown[]): void {
    this.write('trace', message, parameters);
  }

  private write(level: Level, message: unknown, parameters: unknown[]): void {
    const last = parameters.at(-1);
    const context = typeof last === 'string' ? last : undefined;
    const isDetail = context !== undefined && BOOT_CONTEXTS.has(context);
    const actual = isDetail || this.isForeseen(message) ? 'debug' : level;
    if (message instanceof Error) this.lines[actual]({ context, err: message });
    else this.lines[actual]({ context }, String(message));
  }
}
