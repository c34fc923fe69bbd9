import { ERROR_CODES } from '../packages/portico/dist/errors/error-codes.js';
import { REASON_TABLE } from '../packages/portico/dist/errors/error-reasons.js';
import { ERROR_TABLE } from '../dist/errors/error-table.js';

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** docs/errors.md: the codes and reasons of errors. */
export function errorsPage() {
  const codes = Object.entries(ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  const reasons = Object.entries(REASON_TABLE).map(([reason, { codes, meaning }]) => [
    `\`${reason}\``,
    codes.map((code) => `\`${code}\``).join(', '),
    meaning,
  ]);
  const kinds = ERROR_TABLE.map(({ platform, kind, code, reason }) => [
    platform,
    `\`${kind.name}\``,
    `\`${code}\``,
    (reason?.possible ?? []).map((each) => `\`${each}\``).join(', '),
  ]);
  return `# Errors

<!-- Generated from src/errors/ and src/errors/error-table.ts by npm run generate. -->

Every error has a \`message\`, a \`path\` if it belongs to a field, and these \`extensions\`, nothing else:

${table(
  ['extension', 'present', 'meaning'],
  [
    ['`code`', 'always', 'what happened, from the table below'],
    ['`retryable`', 'always', 'whether the same request may succeed later without any change'],
    ['`requestId`', 'always', 'the `x-request-id` of the answer; the log has it too'],
    ['`reason`', 'where known', 'more about the code, from the table below'],
    ['`platformCode`', 'platform errors', "the platform's code exactly as sent, or `N/A` if there was none"],
    ['`platformStatus`', 'where known', "the HTTP status of the platform's answer"],
    [
      '`iserverCode`, `iserverMessage`',
      'where known',
      'the code of the server behind the platform, and what it means',
    ],
    ['`ticketId`', 'where known', "the platform's ticket number, for its support team"],
    ['`retryAfter`', 'where known', 'seconds to wait before trying again'],
    ['`ids`', 'with `AMBIGUOUS_NAME`', 'the ids of the projects that share the name, at most ten'],
  ],
)}

A login that fails with the reason \`LOGIN_FAILED\` has the platform's code and ticket and no other detail, so the answer does not
reveal whether the user or the password was wrong. Platform codes are compared by number: \`ERR014\` on the wire is \`ERR0014\`.

## Codes

${table(['code', 'meaning'], codes)}

## Reasons

${table(['reason', 'with the code', 'meaning'], reasons)}

## From the platform to GraphQL

The first row that matches applies.

${table(['platform', 'client error', '`code`', '`reason`'], kinds)}
`;
}
