/** Run as a process of its own: the platform, with its conduct as the only argument. It sends its port to its parent. */
import { type Conduct, startOverloadPlatform } from '../platform.ts';

const { port } = await startOverloadPlatform(JSON.parse(process.argv[2] ?? '{}') as Conduct);
process.send?.(port);
process.on('disconnect', () => process.exit());
