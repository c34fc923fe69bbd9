import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.js';
import { contextMaker, type GraphQLContext, type HttpReply } from '../../src/graphql/graphql-context.js';
import { type Caller } from '../../src/http/caller.js';
import { AnswerTurns } from '../../src/load/answer-turns.js';
import { KnownSessions } from '../../src/session/handle.js';

const CALLER = {
  address: '192.0.2.1',
  network: '192.0.2.1',
  service: { protocol: 'https', hostname: 'graph.example', origin: 'https://graph.example' },
  sessionCookie: { name: 'portico', secure: true },
  presented: undefined,
  foreignBearer: false,
  withCookie: false,
  isRouter: false,
} as unknown as Caller;
const NO_FIELDS = { plan: [], variables: {} };

interface Opened {
  readonly context: GraphQLContext;
  readonly reply: HttpReply;
  /** Ends the connection before the answer is sent. */
  readonly hangUp: () => void;
  /** How many wait for the end of the connection. */
  readonly waiting: () => number;
}

function open(environment: Record<string, string> = {}, caller: Partial<Caller> = {}): Opened {
  const stream = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
  const reply = { raw: stream, mayBeCompressed: false };
  const make = contextMaker(parseSettings(environment), new AnswerTurns(), new KnownSessions());
  const request = { id: 'request', caller: { ...CALLER, ...caller }, slot: { isReserved: false } };
  return {
    context: make(request, reply),
    reply,
    hangUp: () => stream.emit('close'),
    waiting: () => stream.listenerCount('close'),
  };
}

describe('the context of a request', () => {
  it('tells who calls, and whether that is a router', () => {
    expect(open().context).toMatchObject({ requestId: 'request', network: '192.0.2.1', isRouter: false });
    expect(open({}, { isRouter: true }).context).toMatchObject({ isRouter: true });
  });

  it('has the limits of answers from the settings', () => {
    const { context } = open({ GRAPHQL_MAX_ANSWER_NODES: '1000' });
    expect(() => context.answer.add(Array(1001).fill(null), NO_FIELDS)).toThrow('more than 1000 values');
    const small = open({ GRAPHQL_MAX_ANSWER_BYTES: '1000' }).context;
    expect(() => small.answer.add(Array(500).fill(null), NO_FIELDS)).toThrow('more than 1000 bytes');
  });

  it('lets the answer be compressed only when it is told so', () => {
    const { context, reply } = open();
    expect(reply.mayBeCompressed).toBe(false);
    context.allowCompression();
    expect(reply.mayBeCompressed).toBe(true);
  });

  it('counts searches to its answer, and large responses of the platform', async () => {
    const { context } = open();
    expect(context.search?.(10)).toBeUndefined();
    const heavy = context.search?.(100_000);
    expect(heavy).toBeInstanceOf(Promise);
    await heavy;
    expect(context.answer.isHeavy).toBe(true);
    await expect(context.onLarge?.()).resolves.toBeUndefined();
    context.answer.sending();
  });

  it('watches the connection only for a request that has something to abort, and once for all its copies', () => {
    const { context, hangUp, waiting } = open();
    const copy = Object.assign(
      Object.create(Object.getPrototypeOf(context) as object),
      context,
    ) as GraphQLContext;
    expect(waiting()).toBe(0);
    const { signal } = copy;
    expect(context.signal).toBe(signal);
    expect(waiting()).toBe(1);
    expect(signal.aborted).toBe(false);
    hangUp();
    expect(signal.aborted).toBe(true);
  });
});
