import { expect } from 'vitest';

interface ExpectedRefusal {
  status: number;
  code: string;
  iServerCode?: number;
}

/** Expects a complete error payload: status, code, message, ticket, back-end code, exact content type. */
export async function expectRefusal(call: Promise<Response>, expected: ExpectedRefusal): Promise<void> {
  const response = await call;
  const payload = (await response.json()) as Record<string, unknown>;
  expect({ status: response.status, type: response.headers.get('content-type'), payload }).toEqual({
    status: expected.status,
    type: 'application/json',
    payload: {
      code: expected.code,
      message: expect.stringMatching(/\S/),
      ticketId: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...(expected.iServerCode !== undefined && { iServerCode: expected.iServerCode }),
    },
  });
}
