import { describe, expect, it } from 'vitest';
import { reasonOfGoogleError } from '../../../src/credentials/providers/secret-manager.js';

describe('reasonOfGoogleError', () => {
  it.each([
    ['an HTTP status', { code: 404, status: 404 }, 'NOT_FOUND'],
    ["gRPC's NOT_FOUND", { code: 5 }, 'NOT_FOUND'],
    ["gRPC's PERMISSION_DENIED", { code: 7 }, 'DENIED'],
    ["gRPC's RESOURCE_EXHAUSTED", { code: 8 }, 'THROTTLED'],
    ["gRPC's UNAVAILABLE", { code: 14 }, 'UNREACHABLE'],
    ["the system's code", { code: 'ECONNREFUSED' }, 'UNREACHABLE'],
  ])('reads %s', (_, facts, reason) => {
    expect(reasonOfGoogleError(Object.assign(new Error('text'), facts))).toBe(reason);
  });
});
