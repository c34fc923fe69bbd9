import { ERROR_CODES } from '../packages/portico/dist/errors/error-codes.js';
import { REASON_TABLE } from '../packages/portico/dist/errors/error-reasons.js';

/** src/errors/client-table.ts: the codes with their reasons, without the texts, for clients that count bytes. */
export function clientTable() {
  const rows = Object.keys(ERROR_CODES).map((code) => {
    const reasons = Object.keys(REASON_TABLE).filter((reason) => REASON_TABLE[reason].codes.includes(code));
    return reasons.length === 0
      ? `  ${code}: [],\n`
      : `  ${code}: [\n${reasons.map((reason) => `    '${reason}',\n`).join('')}  ],\n`;
  });
  return `// Generated from error-codes.ts and error-reasons.ts by npm run generate.
import type { ErrorCode } from './error-codes.js';
import type { ErrorReason } from './error-reasons.js';

/**
 * Every code, with the reasons that it may come with.
 * @example
 * console.log(REASONS_OF_CODES.CONFLICT); // [ 'ALREADY_EXISTS', 'AMBIGUOUS_NAME' ]
 */
export const REASONS_OF_CODES = {
${rows.join('')}} as const satisfies Readonly<Record<ErrorCode, readonly ErrorReason[]>>;
`;
}
