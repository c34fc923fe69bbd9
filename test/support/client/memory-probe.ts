/**
 * Run as a process of its own: reads the projects of a platform and prints, as JSON, the kind of error that came and by how
 * many bytes the peak of the resident memory rose. Arguments: base URL, transport.
 */
import { PlatformSession } from 'portico/client';

const [baseUrl = '', transport = 'got'] = process.argv.slice(2);
const session = new PlatformSession(baseUrl, { transport: transport === 'undici' ? 'undici' : 'got' });
await session.login();
await session.getSessions();

const peak = (): number => process.resourceUsage().maxRSS * 1024;
const before = peak();
const kind = await session.getProjects().then(
  () => 'none',
  (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
);
console.log(JSON.stringify({ kind, risen: peak() - before }));
await session.close();
