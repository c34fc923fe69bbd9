/** Imported first: on an older Node a dependency would fail with a message that does not help. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`portico needs Node 22.19 or newer; this is Node ${process.versions.node}.`);
}

export {};
