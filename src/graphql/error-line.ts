import { type GraphQLFormattedError, type OperationDefinitionNode } from 'graphql';
import { isFault } from '../errors/error-severity.js';
import { LogLine } from '../logging/logger.service.js';

/** A name that a caller chose. GraphQL limits it to letters, digits and underscores, but not in length. */
const LONGEST_NAME = 64;

/** The line of the log for an answer with errors: the one that an operator would look at, or the first. */
export function errorLine(
  errors: readonly GraphQLFormattedError[],
  operation: OperationDefinitionNode | undefined,
): LogLine {
  const told = errors.find(({ extensions }) => isFault(extensions?.code)) ?? errors[0];
  const { code, reason, platformCode, iserverCode, platformStatus, ticketId } = told?.extensions ?? {};
  return new LogLine('answered with an error', {
    code,
    reason,
    platformCode,
    iserverCode,
    platformStatus,
    ticketId,
    operation: operation?.operation ?? 'none',
    operationName: operation?.name?.value.slice(0, LONGEST_NAME),
    errors: errors.length,
  });
}
