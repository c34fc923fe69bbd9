import { type Agent } from 'node:http';
import { type Socket } from 'node:net';

interface KeepingAgent {
  keepSocketAlive(socket: Socket): boolean | undefined;
  reuseSocket(socket: Socket, ...request: unknown[]): void;
}

/**
 * Closes an idle connection on which unrequested bytes arrive. Node would read them as the answer to the next request, so
 * another caller would get them.
 */
export function dropUnaskedBytes(agent: Agent): void {
  const keeping = agent as unknown as KeepingAgent;
  const keepSocketAlive = keeping.keepSocketAlive.bind(agent);
  const reuseSocket = keeping.reuseSocket.bind(agent);
  keeping.keepSocketAlive = (socket) => {
    const isKept = keepSocketAlive(socket);
    if (isKept !== false) socket.on('data', destroySocket);
    return isKept;
  };
  keeping.reuseSocket = (socket, ...request) => {
    socket.off('data', destroySocket);
    reuseSocket(socket, ...request);
  };
}

function destroySocket(this: Socket): void {
  this.destroy();
}
