import { describe, expect, it } from 'vitest';
import { concernOf } from '../../bench/profile/concerns.ts';
import { type Frame } from '../../bench/profile/cpu-profile.ts';

const frame = (path: string, parent?: Frame, functionName = 'work'): Frame => ({
  path,
  functionName,
  parent,
});

describe('the time of a function', () => {
  it('counts for the nearest caller whose file names a concern', () => {
    const apollo = frame('file:///p/node_modules/@apollo/server/dist/esm/runHttpQuery.js');
    const execute = frame('file:///p/node_modules/graphql/execution/execute.js', apollo);
    expect(concernOf(frame('node:internal/process/task_queues', execute))).toBe('GraphQL: execute');
    expect(concernOf(apollo)).toBe('Apollo');
  });

  it('counts for JSON where V8 parses, whoever asked for it', () => {
    const caller = frame('file:///p/node_modules/got/dist/source/core.js');
    expect(concernOf(frame('', caller, 'parse'))).toBe('JSON');
    expect(concernOf(frame('', caller, 'now'))).toBe('transport: got');
  });

  it('has a concern of its own for garbage collection, and for what no file asked for', () => {
    expect(concernOf(frame('', undefined, '(garbage collector)'))).toBe('garbage collection');
    expect(concernOf(frame('node:net'))).toBe('Node: sockets, HTTP, streams');
  });
});
