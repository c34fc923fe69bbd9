import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.js';
import { errorAnswer, sendErrorAnswer, thrownAnswer } from '../../src/http/error-answer.js';
import { HttpAdapter } from '../../src/http/http.adapter.js';

describe('the answer to a mistake of the caller', () => {
  it.each([400, 404, 405, 408, 413, 414, 415, 417, 431])('has its own text for the status %i', (status) => {
    const { message, ...answer } = errorAnswer(status);
    expect(answer).toEqual({ status, code: 'BAD_REQUEST' });
    expect(message).not.toBe(errorAnswer(418).message);
    expect(message).not.toBe('');
  });

  it('says at least that it is one', () => {
    expect(errorAnswer(418)).toMatchObject({ status: 418, code: 'BAD_REQUEST', message: expect.any(String) });
    expect(errorAnswer(499).status).toBe(499);
  });
});

describe('the answer to anything else', () => {
  it.each([undefined, 0, 200, 302, 399, 500, 503])('tells nothing, and is 500: %j', (status) => {
    expect(errorAnswer(status)).toEqual({
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Internal server error',
    });
  });
});

describe('what is thrown before a request reaches GraphQL', () => {
  it('is answered with the status that it has', () => {
    expect(thrownAnswer(Object.assign(new Error('too large'), { statusCode: 413 }))).toEqual(
      errorAnswer(413),
    );
    expect(thrownAnswer(new Error('a bug'))).toEqual(errorAnswer(500));
  });

  it('is 503 with all facts if the service has too much to do', () => {
    const facts = { reason: 'SERVICE_BUSY', retryAfter: 2 } as const;
    expect(thrownAnswer(new ServiceError('OVERLOADED', 'busy', facts))).toEqual({
      status: 503,
      code: 'OVERLOADED',
      message: 'busy',
      ...facts,
    });
  });

  it('is masked if it is another error of the service, whose place is in an answer of GraphQL', () => {
    expect(thrownAnswer(new ServiceError('FORBIDDEN', 'no'))).toEqual(errorAnswer(500));
  });
});

describe('an answer with an error', () => {
  const server = Fastify({ genReqId: () => 'the-request' });
  server.get('/', (_request, reply) => {
    sendErrorAnswer(reply, { status: 503, code: 'OVERLOADED', message: 'busy', retryAfter: 2 });
  });
  server.get('/final', (_request, reply) => {
    sendErrorAnswer(reply, errorAnswer(404));
  });

  it('has the shape that GraphQL clients expect, and says when to try again', async () => {
    const answer = await server.inject({ url: '/' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '2',
    });
    const extensions = { code: 'OVERLOADED', retryable: true, retryAfter: 2, requestId: 'the-request' };
    expect(answer.json()).toEqual({ errors: [{ message: 'busy', extensions }] });
  });

  it('says no time if trying again does not help', async () => {
    const answer = await server.inject({ url: '/final' });
    expect(answer.headers).not.toHaveProperty('retry-after');
    expect(answer.json().errors[0].extensions).toEqual({
      code: 'BAD_REQUEST',
      retryable: false,
      requestId: 'the-request',
    });
  });
});

describe('the server of the service', () => {
  function server(): { server: FastifyInstance; logged: unknown[] } {
    const adapter = new HttpAdapter();
    adapter.setErrorHandler();
    adapter.setNotFoundHandler();
    const logged: unknown[] = [];
    const own: FastifyInstance = adapter.getInstance();
    own.addHook('onRequest', (request, _reply, done) => {
      request.log.error = (error: unknown) => void logged.push(error);
      done();
    });
    own.post('/graphql', () => 'here');
    own.get('/bug', () => {
      throw new Error('a bug');
    });
    own.get('/mistake', () => {
      throw Object.assign(new Error('a mistake'), { statusCode: 415 });
    });
    return { server: own, logged };
  }

  it('masks a fault of its own, and logs it', async () => {
    const { server: own, logged } = server();
    const answer = await own.inject({ url: '/bug' });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('a bug');
    expect(logged).toEqual([expect.objectContaining({ message: 'a bug' })]);
  });

  it('answers a mistake of the caller, and logs nothing', async () => {
    const { server: own, logged } = server();
    expect((await own.inject({ url: '/mistake' })).statusCode).toBe(415);
    expect(logged).toEqual([]);
  });

  it.each(['/graphql', '/graphql?query={a}'])('names the methods of %s for another one', async (url) => {
    const answer = await server().server.inject({ method: 'PUT', url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('GET, POST');
  });

  it.each(['/nowhere', '/graphql/x', '/nowhere?a=/graphql'])('has nothing at %s', async (url) => {
    const answer = await server().server.inject({ method: 'PUT', url });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers).not.toHaveProperty('allow');
  });
});
