import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorAnswer, sendErrorAnswer, thrownAnswer } from './error-answer.js';

const NOT_FOUND = 404;
const METHOD_NOT_ALLOWED = 405;

/** Nest's HTTP adapter, except that requests without a route get the answer that GraphQL clients expect. */
export class HttpAdapter extends FastifyAdapter {
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance().setErrorHandler(
      (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        const answer = thrownAnswer(error);
        if (answer.code === 'INTERNAL_SERVER_ERROR') request.log.error(error);
        sendErrorAnswer(reply, answer);
      },
    );
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    const answer = (request: FastifyRequest, reply: FastifyReply): void => {
      const isGraphQL = request.url.split('?', 1)[0] === '/graphql';
      if (isGraphQL) void reply.header('allow', 'GET, POST');
      sendErrorAnswer(reply, errorAnswer(isGraphQL ? METHOD_NOT_ALLOWED : NOT_FOUND));
    };
    return this.getInstance().setNotFoundHandler(answer);
  }
}
