import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';

describe('the client', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Loads what checks the version of Node as if on that one. */
  async function loadOn(node: string): Promise<unknown> {
    // Another query makes it another module, which is not loaded yet.
    const checking = `../../src/client/node-version.ts?${randomUUID()}`;
    vi.stubGlobal('process', { versions: { node } });
    return import(/* @vite-ignore */ checking).then(
      () => 'loaded',
      (error: unknown) => error,
    );
  }

  it.each(['22.19.0', '22.100.1', '23.0.0', '24.1.0'])('loads on Node %s', async (node) => {
    expect(await loadOn(node)).toBe('loaded');
  });

  it.each(['22.18.9', '22.2.0', '21.99.0', '8.20.1'])('says on Node %s which one it needs', async (node) => {
    expect(await loadOn(node)).toEqual(new Error(`portico needs Node 22.19 or newer; this is Node ${node}.`));
  });
});
