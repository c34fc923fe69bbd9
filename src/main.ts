if (process.argv.length === 2) process.argv.push('start');
await import('./cli.js');

export {};
