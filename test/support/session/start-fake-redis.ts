import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const MASTER = /^sentinel get-master-addr-by-name /i;
const OTHER_SENTINELS = /^sentinel sentinels /i;
const SLOTS = /^cluster slots$/i;
const SUBSCRIBE = /^subscribe (\S+)$/i;

/** In the protocol of Redis; it may depend on the command, whose parts are in one line. */
type Reply = string | ((command: string) => string);

/** Speaks as much of RESP 3 as a connection needs, as a server, its sentinel, and a cluster of one node at once. */
export interface FakeRedis {
  readonly port: number;
  /** All commands so far, each with its parts in one line. */
  readonly commands: readonly string[];
  /** Connections accepted so far. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  /** What a command is answered that begins like this, until it is given another answer; with '', nothing. */
  answer(begin: string, reply: Reply): void;
  /** Sends to every connection for commands what none of them has asked for. */
  inject(reply: string): void;
  /** Ends every connection for commands, as a server that dies does. */
  drop(): void;
  /** Sends a message to all who have subscribed to something. */
  publish(channel: string, message: string): void;
  close(): Promise<void>;
}

export async function startFakeRedis(at = 0): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  const subscribers = new Set<Socket>();
  const commands: string[] = [];
  let connections = 0;
  const answers = new Map<string, Reply>([
    ['info', bulk('loading:0')],
    ['cluster info', bulk('cluster_state:ok')],
  ]);

  const replyTo = (command: string, socket: Socket): string => {
    const found = [...answers].reverse().find(([begin]) => command.toLowerCase().startsWith(begin));
    if (found !== undefined) return typeof found[1] === 'string' ? found[1] : found[1](command);
    if (MASTER.test(command)) return list('127.0.0.1', String(port));
    if (SLOTS.test(command)) return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulk('127.0.0.1')}:${port}\r\n`;
    if (OTHER_SENTINELS.test(command)) return list();
    const [, channel] = SUBSCRIBE.exec(command) ?? [];
    if (channel !== undefined) {
      subscribers.add(socket);
      return `>3\r\n${bulk('subscribe')}${bulk(channel)}:1\r\n`;
    }
    return '+OK\r\n';
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      subscribers.delete(socket);
    });
    socket.on('data', (bytes) => {
      for (const command of commandsIn(bytes.toString())) {
        commands.push(command);
        socket.write(replyTo(command, socket));
      }
    });
  }).listen(at, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    commands,
    connections: () => connections,
    open: () => sockets.size,
    answer: (begin, reply) => void answers.set(begin, reply),
    inject: (reply) => {
      for (const socket of sockets) if (!subscribers.has(socket)) socket.write(reply);
    },
    drop: () => {
      for (const socket of sockets) if (!subscribers.has(socket)) socket.destroy();
    },
    publish: (channel, message) => {
      for (const socket of subscribers) socket.write(list('message', channel, message).replace('*', '>'));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The test sends them in one packet each. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/\*\d+\r\n((?:\$\d+\r\n[^\r]*\r\n)+)/g)].map(([, parts = '']) =>
    [...parts.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, part]) => part).join(' '),
  );
}

/** A text as a reply. */
export function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

function list(...texts: readonly string[]): string {
  return `*${texts.length}\r\n${texts.map(bulk).join('')}`;
}

/** The reply to a script: what identifies the command, the time of Redis if it is told, and the answer. */
export function scriptReply(answer: string, time = ''): (command: string) => string {
  return (command) => `*3\r\n${bulk(command.split(' ').at(-1) ?? '')}${bulk(time)}${answer}`;
}
