import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { freePort } from '../free-port.js';
import { type GraphQLCaller, graphQLCaller } from './graphql-caller.js';
import { installFolder } from '../install-folder.js';
import { tempFolder } from '../temp-folder.js';

/** Loading a gateway takes seconds on a loaded machine. */
const READY_WITHIN_MS = 60_000;

/** A gateway of another project, as a process of its own. */
export interface RunningGateway {
  readonly graphql: GraphQLCaller;
  readonly url: string;
  /** All that it has written so far, both streams. */
  readonly output: () => string;
}

/** How a gateway is started: the arguments of Node, and its path of GraphQL. */
export interface GatewayKind {
  readonly name: string;
  command(supergraph: string, port: string): string[];
  readonly path: string;
}

const EXAMPLES = fileURLToPath(new URL('../../../examples/federation/', import.meta.url));

export const HIVE_GATEWAY: GatewayKind = {
  name: 'Hive Gateway',
  command: (supergraph, port) => [
    join(EXAMPLES, 'hive-gateway/node_modules/@graphql-hive/gateway/dist/bin.js'),
    'supergraph',
    supergraph,
    ...['--config-path', join(EXAMPLES, 'hive-gateway/gateway.config.ts')],
    ...['--host', '127.0.0.1', '--port', port],
  ],
  path: '/graphql',
};

export const APOLLO_GATEWAY: GatewayKind = {
  name: '@apollo/gateway under Apollo Server',
  command: (supergraph, port) => [join(EXAMPLES, 'apollo-server/gateway.ts'), supergraph, port],
  path: '/graphql',
};

// Here and not in a hook, which would have to be quick.
await Promise.all(
  ['examples/federation/hive-gateway', 'examples/federation/apollo-server'].map(installFolder),
);

const living = new Set<ChildProcess>();

/** Ends every gateway that a test started; for `afterAll`. */
export async function stopGateways(): Promise<void> {
  await Promise.all(
    [...living].map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }),
  );
}

/** Starts a gateway over a supergraph with the settings of the examples, and waits until it answers. */
export async function runGateway(
  kind: GatewayKind,
  supergraphSdl: string,
  environment: Record<string, string> = {},
): Promise<RunningGateway> {
  const folder = await tempFolder();
  const supergraph = join(folder.path, 'supergraph.graphql');
  await writeFile(supergraph, supergraphSdl);
  const port = String(await freePort());
  const child = spawn(process.execPath, kind.command(supergraph, port), {
    cwd: EXAMPLES,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  child.once('exit', () => {
    living.delete(child);
    void folder.remove();
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const url = `http://127.0.0.1:${port}${kind.path}`;
  const graphql = graphQLCaller(url);
  await untilAnswering(graphql, child, () => chunks.join(''));
  return { graphql, url, output: () => chunks.join('') };
}

async function untilAnswering(
  graphql: GraphQLCaller,
  child: ChildProcess,
  output: () => string,
): Promise<void> {
  let answered = false;
  const ask = async (): Promise<void> => {
    while (!answered && child.exitCode === null) {
      answered = await graphql('{ __typename }').then(
        ({ data }) => data?.__typename === 'Query',
        () => false,
      );
      if (!answered) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  void ask();
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}: ${output()}`);
    return answered;
  }, READY_WITHIN_MS);
}
