/**
 * Run as a process of its own, so that its work does not delay the probes: an attack, with its order as the only argument.
 * It sends `ready`, begins when it is sent `begin`, and sends its counts when it is sent `report`.
 */
import { setPriority } from 'node:os';
import { guestAddresses, type Order } from '../attack/plan.ts';
import { pipelines, slowSenders } from './connections.ts';
import { Counts } from './counts.ts';
import { guests, openSessions } from './guests.ts';
import { logins } from './logins.ts';

/** Below the probes, which share the core. */
const PRIORITY = 10;

const { port, networks, plan } = JSON.parse(process.argv[2] ?? '') as Order;
const addresses = guestAddresses(networks);

setPriority(PRIORITY);
const sessions = plan.kind === 'guests' ? await openSessions(port, addresses, plan.sessions) : [];
const counts = new Counts();
process.on('message', (message) => {
  if (message === 'begin') begin();
  else process.send?.(counts.text());
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

function begin(): void {
  counts.begin();
  if (plan.kind === 'guests') guests(port, sessions, plan, counts);
  else if (plan.kind === 'logins') logins(port, addresses, plan, counts);
  else if (plan.kind === 'pipelines') pipelines(port, addresses, plan, counts);
  else slowSenders(port, addresses, plan, counts);
}
