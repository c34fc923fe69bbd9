/** Run as a process of its own: the client alone, and the bare libraries, in rounds that alternate. Sends the rounds to its parent. */
import { openClients } from './clients.ts';
import { measure } from './measure.ts';

const [baseUrl = '', rounds, calls] = process.argv.slice(2);
const AT_ONCE = 16;
/** Rounds of calls before the first that counts. */
const WARM_UP = 3;

const clients = await openClients(baseUrl);
for (let round = 1 - WARM_UP; round <= Number(rounds); round += 1) {
  for (const client of clients) {
    const measured = await measure(client, Number(calls), AT_ONCE);
    if (round >= 1) process.send?.({ system: client.id, round, ...measured });
  }
}
await Promise.all(clients.map(({ close }) => close()));
process.disconnect();
