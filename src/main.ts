import { runCommand } from './run-command.js';

const args = process.argv.slice(2);
await runCommand(args.length > 0 ? args : ['start']);
