#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is imported. Where it cannot be written, nothing is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/portico', import.meta.url)));

const { runCommand } = await import('./app/cli.js');
const args = process.argv.slice(2);
await runCommand(args.length > 0 ? args : ['--help']);
