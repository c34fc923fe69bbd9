/** The same facade as it is written by hand with Nest, Apollo, Fastify and got by their defaults: sessions in memory, not sealed. */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Args,
  Context,
  Field,
  GraphQLModule,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from '@nestjs/graphql';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { IsString } from 'class-validator';
import got from 'got';
import { CookieJar } from 'tough-cookie';

interface Session {
  readonly token: string;
  readonly jar: CookieJar;
}
interface RequestContext {
  readonly req: { readonly headers: Readonly<Record<string, string | undefined>> };
}

const { PORT = '0', PLATFORM = '', LOGIN_CONNECTIONS = 'kept' } = process.env;
const agent = { http: new Agent({ keepAlive: true }) };
const loginAgent = LOGIN_CONNECTIONS === 'new' ? { http: new Agent({ keepAlive: false }) } : agent;
const sessions = new Map<string, Session>();

@ObjectType()
class Project {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  description?: string;
}

@ObjectType()
class AuthPayload {
  @Field(() => String)
  handle!: string;
}

@InputType()
class LoginInput {
  @IsString()
  @Field(() => String)
  username!: string;

  @IsString()
  @Field(() => String)
  password!: string;
}

function sessionOf({ req }: RequestContext): Session | undefined {
  return sessions.get((req.headers.authorization ?? '').slice('Bearer '.length));
}

@Resolver()
class FacadeResolver {
  @Query(() => Boolean)
  hasSession(@Context() context: RequestContext): boolean {
    return sessionOf(context) !== undefined;
  }

  @Query(() => [Project], { nullable: true })
  projects(@Context() context: RequestContext): Promise<Project[]> {
    const session = sessionOf(context);
    if (session === undefined) throw new Error('There is no session');
    return got(`${PLATFORM}/projects`, {
      agent,
      cookieJar: session.jar,
      headers: { 'x-svc-authtoken': session.token },
      timeout: { request: 10_000 },
      retry: { limit: 0 },
    }).json<Project[]>();
  }

  @Mutation(() => AuthPayload)
  async login(@Args('input') input: LoginInput): Promise<AuthPayload> {
    const jar = new CookieJar();
    const { headers } = await got.post(`${PLATFORM}/auth/login`, {
      agent: loginAgent,
      cookieJar: jar,
      json: { loginMode: 1, username: input.username, password: input.password },
    });
    const handle = randomUUID();
    sessions.set(handle, { token: String(headers['x-svc-authtoken']), jar });
    return { handle };
  }
}

@Module({
  imports: [GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true })],
  providers: [FacadeResolver],
})
class AppModule {}

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });
app.useGlobalPipes(new ValidationPipe());
await app.listen(Number(PORT), '127.0.0.1');
