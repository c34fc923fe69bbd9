import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { heldSockets } from '../../bench/machine/sockets.ts';
import { guestAddresses, isGuest, TENANT_ADDRESS } from '../../bench/overload/attack/plan.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startServer(): Promise<{ port: number; accepted: Socket[] }> {
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, accepted };
}

async function open(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const noProc = existsSync('/proc/net/tcp') ? undefined : 'no /proc/net/tcp';

(noProc === undefined ? describe : describe.skip)(
  `heldSockets${noProc === undefined ? '' : ` (skipped: ${noProc})`}`,
  () => {
    it("counts the guest's connections and not the tenant's", async () => {
      const { port, accepted } = await startServer();
      for (const address of [...guestAddresses(3), TENANT_ADDRESS]) await open(port, address);
      while (accepted.length < 4) await new Promise((resolve) => setImmediate(resolve));

      expect(heldSockets(port, isGuest)).toBe(3);
      expect(heldSockets(port, (address) => address === TENANT_ADDRESS)).toBe(1);
    });

    it('counts a connection that the server has only ended, until the server destroys it', async () => {
      const { port, accepted } = await startServer();
      const [guest = ''] = guestAddresses(1);
      const socket = await open(port, guest);
      while (accepted.length < 1) await new Promise((resolve) => setImmediate(resolve));
      const [server] = accepted;
      const ended = once(socket.resume(), 'end');
      server?.end();
      await ended;
      expect(heldSockets(port, isGuest)).toBe(1);

      const closed = server === undefined ? undefined : once(server, 'close');
      server?.destroy();
      await closed;
      expect(heldSockets(port, isGuest)).toBe(0);
    });
  },
);
