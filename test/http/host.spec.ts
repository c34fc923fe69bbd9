import { describe, expect, it } from 'vitest';
import { requireOneTarget, UnclearHeaderError } from '../../src/http/address.js';

describe('the target of a request', () => {
  it.each([
    ['/graphql', 'graph.example'],
    ['/graphql?query={hasSession}', 'graph.example'],
    ['/%67raphql', 'graph.example'],
    ['*', 'graph.example'],
    ['http://graph.example/graphql', 'graph.example'],
    ['http://Graph.Example:80/graphql', 'graph.example'],
    ['https://graph.example:8443/graphql', 'graph.example:8443'],
  ])('may be %s with the host %s', (target, host) => {
    expect(() => {
      requireOneTarget(target, host);
    }).not.toThrow();
  });

  it.each([
    'http://evil.example/graphql',
    'http://evil.example/livez',
    'HTTP://evil.example/graphql',
    'http://graph.example:8080/graphql',
    'http://graph.example@evil.example/graphql',
    'http://user@graph.example/graphql',
    'http://:secret@graph.example/graphql',
    'http://graph.example.evil.example/graphql',
    '/graphql#x',
    '/x#/../graphql',
    'http://[/graphql',
    '//[',
  ])('is refused as %s with the host graph.example', (target) => {
    expect(() => {
      requireOneTarget(target, 'graph.example');
    }).toThrow(UnclearHeaderError);
  });

  it('is refused with its own host if the Host header cannot be read', () => {
    expect(() => {
      requireOneTarget('http://graph.example/graphql', 'graph example');
    }).toThrow(UnclearHeaderError);
  });
});
