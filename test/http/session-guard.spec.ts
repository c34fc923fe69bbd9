import 'reflect-metadata';
import { type ArgumentsHost, type ExecutionContext, HttpException } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { type HttpAdapterHost } from '@nestjs/core';
import { SessionError } from 'portico/client';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.js';
import { rateLimited, ServiceError } from '../../src/errors/service-error.js';
import { UnclearHeaderError } from '../../src/http/address.js';
import { contextOf, type HostRequest } from '../../src/http/caller-context.js';
import { PorticoExceptionFilter, restException } from '../../src/http/rest-errors.filter.js';
import { Session, SessionGuard } from '../../src/http/session.guard.js';
import { newHandle } from '../../src/session/handle.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { type SessionService } from '../../src/session/session.service.js';

/** The parts of an Express answer that are used, and the headers that it gets. */
function answerOf(): { answer: never; headers: [string, string][] } {
  const headers: [string, string][] = [];
  const answer = {
    destroyed: false,
    once: () => undefined,
    appendHeader: (name: string, value: string) => headers.push([name, value]),
  };
  return { answer: answer as never, headers };
}

function requestOf(
  headers: Record<string, string> = {},
  method = 'GET',
  host = 'graph.example',
): HostRequest {
  const all = { host, ...headers };
  const rawHeaders = Object.entries(all).flat();
  return { method, ip: '192.0.2.1', host, headers: all, rawHeaders } as never;
}

function route(request: HostRequest, answer: never): ExecutionContext {
  return {
    getType: () => 'http',
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => answer }),
  } as never;
}

const resolver = (context: unknown): ExecutionContext =>
  ({ getType: () => 'graphql', getArgByIndex: (index: number) => [{}, {}, context][index] }) as never;

/** A guard for whose sessions the handles that are given are open. */
function guard(open: readonly string[] = []): SessionGuard {
  const sessions = {
    isOpen: ({ presented }: RequestContext) => Promise.resolve(open.includes(presented?.handle ?? '')),
  };
  return new SessionGuard(
    sessions as SessionService,
    parseSettings({
      CORS_ORIGINS: 'https://page.example',
      PLATFORM_BASE_URL: 'https://platform.example/api',
    }),
  );
}

async function thrownBy(work: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HttpException)) throw new Error('no exception of Nest', { cause: error });
  return { status: error.getStatus(), body: error.getResponse() };
}

describe('a guarded route', () => {
  const handle = newHandle();
  const cookie = `portico=${handle}`;

  it('is open to the bearer of an open session, whatever the method and the page', async () => {
    const headers = { authorization: `Bearer ${handle}`, origin: 'https://elsewhere.example' };
    for (const method of ['GET', 'POST']) {
      const request = requestOf(headers, method);
      expect(await guard([handle]).canActivate(route(request, answerOf().answer))).toBe(true);
      expect(contextOf(request)?.presented?.handle).toBe(handle);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['without a handle', {}],
    ['whose session has ended', { authorization: `Bearer ${handle}` }],
  ])('is closed with 401 to a caller %s', async (_who, headers) => {
    expect(await thrownBy(guard().canActivate(route(requestOf(headers), answerOf().answer)))).toMatchObject({
      status: 401,
      body: { statusCode: 401, code: 'UNAUTHENTICATED', reason: 'NO_SESSION', requestId: expect.any(String) },
    });
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('may be read with %s by cookie from any page', async (method) => {
    const request = requestOf({ cookie, origin: 'https://elsewhere.example' }, method);
    expect(await guard([handle]).canActivate(route(request, answerOf().answer))).toBe(true);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])(
    'changes something with %s by cookie only for a page that may',
    async (method) => {
      const from = (origin: string): Promise<boolean> =>
        guard([handle]).canActivate(route(requestOf({ cookie, origin }, method), answerOf().answer));
      expect(await from('https://page.example')).toBe(true);
      expect(await thrownBy(from('https://elsewhere.example'))).toMatchObject({
        status: 403,
        body: { reason: 'ORIGIN_NOT_ALLOWED' },
      });
    },
  );

  it('is closed with 400 to a request that can be read in two ways', async () => {
    const request = requestOf({}, 'GET', 'a,b');
    expect(await thrownBy(guard().canActivate(route(request, answerOf().answer)))).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', message: 'The request has no valid Host' },
    });
  });
});

describe('a guarded resolver', () => {
  const handle = newHandle();
  const context = { presented: { handle, transport: 'bearer' }, sessionCookie: { name: 'portico' } };

  it('is open to the holder of an open session, and to no other', async () => {
    expect(await guard([handle]).canActivate(resolver(context))).toBe(true);
    await expect(guard().canActivate(resolver(context))).rejects.toThrow(SessionError);
  });

  it.each([undefined, {}])('tells the developer that the context is %j', async (wrong) => {
    await expect(guard([handle]).canActivate(resolver(wrong))).rejects.toThrow(
      'build it with porticoContext',
    );
  });
});

describe('the session that a handler asks for', () => {
  /** What a handler gets for its parameter with the decorator. */
  function parameter(execution: ExecutionContext): RequestContext {
    class Handlers {
      read(): void {
        return;
      }
    }
    Session()(Handlers.prototype, 'read', 0);
    const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, Handlers, 'read') as Record<
      string,
      { factory: (data: unknown, execution: ExecutionContext) => RequestContext }
    >;
    const [found] = Object.values(parameters);
    if (found === undefined) throw new Error('the decorator has left nothing');
    return found.factory(undefined, execution);
  }

  it('is that of the guarded route', async () => {
    const handle = newHandle();
    const execution = route(requestOf({ authorization: `Bearer ${handle}` }), answerOf().answer);
    await guard([handle]).canActivate(execution);
    expect(parameter(execution).presented?.handle).toBe(handle);
  });

  it('is missing on a route without the guard, and the developer is told', () => {
    expect(() => parameter(route(requestOf(), answerOf().answer))).toThrow('@UseGuards(SessionGuard)');
  });

  it('is that of the operation in a resolver', () => {
    const context = { sessionCookie: { name: 'portico' } };
    expect(parameter(resolver(context))).toBe(context);
  });
});

describe('an error on a route', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [400, 'BAD_USER_INPUT'],
    [409, 'CONFLICT'],
    [429, 'RATE_LIMITED'],
    [503, 'SESSION_STORE_UNAVAILABLE'],
    [504, 'UPSTREAM_TIMEOUT'],
    [502, 'BACKEND_ERROR'],
    [500, 'INTERNAL_SERVER_ERROR'],
  ] as const)('has the status %i if its code is %s', (status, code) => {
    const error = restException(new ServiceError(code, 'why'), requestOf(), answerOf().answer);
    expect(error.getStatus()).toBe(status);
    expect(error.getResponse()).toMatchObject({ statusCode: status, code });
  });

  it('says when to try again, in the header too', () => {
    const { answer, headers } = answerOf();
    const error = restException(rateLimited('LOGIN_QUEUE', 7), requestOf(), answer);
    expect(error.getResponse()).toMatchObject({ retryAfter: 7 });
    expect(headers).toEqual([['retry-after', '7']]);
  });

  it('clears a cookie that opens nothing, and leaves others alone', async () => {
    const { answer, headers } = answerOf();
    await thrownBy(guard().canActivate(route(requestOf({ cookie: 'portico=useless' }), answer)));
    expect(headers).toEqual([['set-cookie', expect.stringMatching(/^portico=; Max-Age=0;/)]]);

    const without = answerOf();
    await thrownBy(guard().canActivate(route(requestOf(), without.answer)));
    expect(without.headers).toEqual([]);
  });

  it('keeps what was thrown for the log', () => {
    const thrown = new UnclearHeaderError('unclear');
    const error = restException(thrown, requestOf(), answerOf().answer);
    expect(error.message).toBe('unclear');
    expect(error.cause).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('the filter of a host', () => {
  const replies: unknown[][] = [];
  const filter = new PorticoExceptionFilter({
    httpAdapter: { reply: (...reply: unknown[]) => replies.push(reply) },
  } as unknown as HttpAdapterHost);

  it('answers a route', () => {
    const { answer } = answerOf();
    expect(filter.catch(new ServiceError('FORBIDDEN', 'no'), route(requestOf(), answer))).toBeUndefined();
    expect(replies).toEqual([[answer, expect.objectContaining({ code: 'FORBIDDEN', message: 'no' }), 403]]);
  });

  it('leaves the error of a resolver to GraphQL', () => {
    const error = new ServiceError('FORBIDDEN', 'no');
    expect(filter.catch(error, resolver({}) as ArgumentsHost)).toBe(error);
    expect(replies).toHaveLength(1);
  });
});
