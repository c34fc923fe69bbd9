const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// Loaded only now: an older Node would stop at the first import with a message that helps nobody.
if (major > 24 || (major === 24 && minor >= 13)) {
  const { serve } = await import('./app/serve.js');
  await serve();
} else {
  process.stderr.write(
    `Portico needs Node 24.13 or newer; this is ${process.versions.node}. Use npm start, which brings it.\n`,
  );
  process.exitCode = 1;
}
