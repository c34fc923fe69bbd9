import { runCommand } from './app/cli.js';

const args = process.argv.slice(2);
await runCommand(args.length > 0 ? args : ['start']);
