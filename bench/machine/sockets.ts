import { existsSync, readFileSync } from 'node:fs';

const TABLE = '/proc/net/tcp';
/** Its columns. */
const [LOCAL, REMOTE, INODE] = [1, 2, 9];

/**
 * How many sockets of a local server a process still holds whose other side has a chosen IPv4 address; NaN where there is no
 * /proc. A connection that the process has closed has no inode, whatever the kernel keeps of it.
 */
export function heldSockets(port: number, isChosen: (address: string) => boolean): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const held = new Set<string>();
  for (const line of read().split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    if (fields[LOCAL]?.endsWith(local) !== true || fields[INODE] === '0') continue;
    const remote = fields[REMOTE] ?? '';
    if (isChosen(dotted(remote))) held.add(remote);
  }
  // A table that changes while it is read names some lines twice.
  return existsSync(TABLE) ? held.size : NaN;
}

function read(): string {
  return existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
}

/** `0100007F:1F90`, the bytes of an address in the order of the machine, as `127.0.0.1`. */
function dotted(address: string): string {
  return Buffer.from(address.slice(0, 8), 'hex').reverse().join('.');
}
