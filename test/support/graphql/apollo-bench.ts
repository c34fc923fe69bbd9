import { ApolloServer, HeaderMap } from '@apollo/server';
import Fastify, { type FastifyInstance } from 'fastify';
import { parseSettings } from '../../../src/config/parse-settings.js';
import { ErrorFormat } from '../../../src/errors/to-graphql-error.js';
import { AnswerCompletion } from '../../../src/graphql/answer-completion.service.js';
import { writeAnswer } from '../../../src/graphql/execution/answer-text.js';
import { FrequentAnswers } from '../../../src/graphql/execution/frequent-answers.service.js';
import { RepeatedRequestRoute } from '../../../src/graphql/execution/repeated-request-route.service.js';
import { RequestPlugin } from '../../../src/graphql/execution/request.plugin.js';
import { routerCheck } from '../../../src/graphql/federation/federation-gate.js';
import { contextMaker, type GraphQLContext } from '../../../src/graphql/graphql-context.js';
import { readCallers } from '../../../src/http/caller.js';
import { type RequestSlot } from '../../../src/load/request-slot.js';
import { AnswerTurns } from '../../../src/load/answer-turns.js';
import { Observation } from '../../../src/logging/observation.js';
import { KnownSessions } from '../../../src/session/handle.js';

/** What a test sends. */
export interface Asked {
  readonly body?: unknown;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

export interface Told {
  readonly status: number;
  /** Without the time of day. */
  readonly headers: Record<string, unknown>;
  readonly text: string;
  readonly mayBeCompressed: boolean;
  /** Whether Apollo was asked. */
  readonly byApollo: boolean;
}

/** The execution of GraphQL on Apollo and Fastify, without the rest of the service. */
export interface ApolloBench {
  ask(asked: Asked): Promise<Told>;
  /** How many large answers have a turn. */
  turns(): number;
  close(): Promise<void>;
}

type Resolvers = Record<
  string,
  Record<string, (source: unknown, args: never, context: GraphQLContext) => unknown>
>;

/**
 * A request with the header `reserved` has a place that is kept for logouts; one with `broken` is answered with 500 by
 * whatever is behind Apollo.
 */
export function apolloBench(
  typeDefs: string,
  resolvers: Resolvers,
  environment: Record<string, string> = {},
): ApolloBench {
  const settings = parseSettings(environment);
  const [turns, sessions] = [new AnswerTurns(), new KnownSessions()];
  const format = new ErrorFormat(true, () => 'request');
  const frequent = new FrequentAnswers(format, turns);
  const completion = new AnswerCompletion(settings, new Observation());
  const makeContext = contextMaker(settings, turns, sessions);
  const apollo = new ApolloServer<GraphQLContext>({
    typeDefs,
    resolvers,
    formatError: format.format,
    stringifyResult: writeAnswer,
    plugins: [new RequestPlugin(settings, frequent, completion)],
    stopOnTerminationSignals: false,
    csrfPrevention: false,
    introspection: true,
  });
  let [askedApollo, mayBeCompressed] = [0, false];

  const server = Fastify();
  server.decorateReply('mayBeCompressed', false);
  server.addHook('onRequest', (request, _reply, done) => {
    request.slot = { isReserved: request.headers.reserved !== undefined } as RequestSlot;
    done();
  });
  readCallers(server, {
    sessionHeader: settings.SESSION_HEADER,
    cookieSite: settings.SESSION_COOKIE_SITE,
    isRouter: routerCheck(settings.FEDERATION_SECRET),
    allowsHost: () => true,
    trustsProxies: false,
  });
  const host = { httpAdapter: { getInstance: (): FastifyInstance => server } };
  new RepeatedRequestRoute(host as never, frequent, completion, settings, turns, sessions).onModuleInit();
  server.addHook('onSend', (_request, reply, _payload, done) => {
    ({ mayBeCompressed } = reply);
    done();
  });
  for (const url of ['/graphql', '/other']) {
    server.all(url, async (request, reply) => {
      askedApollo += 1;
      const headers = new HeaderMap();
      for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
      const { search } = new URL(request.url, 'http://service');
      const { method, body } = request;
      const given = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method, headers, search, body },
        context: () => Promise.resolve(makeContext(request, reply)),
      });
      for (const [name, value] of given.headers) void reply.header(name, value);
      void reply.code(request.headers.broken === undefined ? (given.status ?? 200) : 500);
      return given.body.kind === 'complete' ? given.body.string : '';
    });
  }
  const started = apollo.start();

  return {
    ask: async ({ body, method = 'POST', url = '/graphql', headers = {} }) => {
      await started;
      const before = askedApollo;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
      const answer = await server.inject({ method, url, headers: { ...type, ...headers }, ...payload });
      const { statusCode: status, payload: text } = answer;
      const { date: _date, ...told } = answer.headers;
      return { status, headers: told, text, mayBeCompressed, byApollo: askedApollo > before };
    },
    turns: () => turns.size,
    close: async () => {
      await server.close();
      await apollo.stop();
    },
  };
}
