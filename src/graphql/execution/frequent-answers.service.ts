import { Injectable } from '@nestjs/common';
import {
  type DirectiveNode,
  type DocumentNode,
  execute,
  type ExecutionResult,
  type FieldNode,
  getVariableValues,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { ErrorFormat } from '../../errors/to-graphql-error.js';
import { AnswerTurns } from '../../load/answer-turns.js';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';

/** The result of an operation, with its errors as callers see them. */
export interface FrequentAnswer {
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLFormattedError[] | undefined;
  /** The errors as they were thrown, in the same order. */
  readonly thrown: readonly GraphQLError[] | undefined;
}

/**
 * Answers frequent operations without Apollo's pipeline, queries with compiled code. Their errors are mapped by the
 * same function that Apollo calls for all others.
 */
@Injectable()
export class FrequentAnswers {
  readonly #operations: FrequentOperations;

  constructor(
    private readonly format: ErrorFormat,
    turns: AnswerTurns,
  ) {
    this.#operations = new FrequentOperations(USES_BEFORE_COMPILING, () => turns.size > 0);
  }

  /** Undefined if Apollo has to execute the operation. Nothing was called then. */
  async answer(requested: RequestedOperation): Promise<FrequentAnswer | undefined> {
    const result = await this.#operations.execute(requested);
    if (result === undefined) return undefined;
    const { data, errors: thrown } = result;
    const errors = thrown?.map((error) => {
      const { message, path, locations } = error;
      return this.format.format({ message, path, locations }, error);
    });
    return { data, errors, thrown };
  }
}

/**
 * Compiling takes as long as about ten executions, so it pays only for an operation that is repeated, or while large
 * answers are made: these take GraphQL's own executor four times as long.
 */
const USES_BEFORE_COMPILING = 2;
const MAX_KEPT = 200;

/**
 * Without checks of built-in scalars and enums: they prepare the path of an error for each value, 420 bytes for an
 * item with three of them. Resolvers return what the schema says, as the client has read it.
 */
const COMPILED = { disablingCapturingStackErrors: true, disableLeafSerialization: true } as const;

/** What a request asks for, after validation. */
interface RequestedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly contextValue: unknown;
}

/** Executes an operation that is parsed and validated, with variables that fit. */
type Execute = (
  contextValue: unknown,
  variables: RequestedOperation['variables'],
) => Promise<ExecutionResult> | ExecutionResult;

/**
 * Frequent operations: queries compiled to JavaScript, and for all others GraphQL's own executor. The least recently
 * used one makes room for the next.
 */
export class FrequentOperations {
  readonly #usesBefore: number;
  readonly #isHurried: () => boolean;
  readonly #kept = new LRUCache<OperationDefinitionNode, Execute>({ max: MAX_KEPT });
  /** Uses so far of an operation that is not kept. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();

  /** @param isHurried whether an operation is kept from its first use on. */
  constructor(usesBefore = USES_BEFORE_COMPILING, isHurried = () => false) {
    this.#usesBefore = usesBefore;
    this.#isHurried = isHurried;
  }

  /** How many operations are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** The result of a frequent operation; undefined if Apollo has to execute it. Nothing was called then. */
  execute(requested: RequestedOperation): Promise<ExecutionResult> | ExecutionResult | undefined {
    const kept = this.#find(requested);
    if (kept === undefined) return undefined;
    const { schema, operation, variables, contextValue } = requested;
    const { variableDefinitions = [] } = operation;
    // GraphQL reports what is wrong with a variable, in words that the error mapping knows. Whether null fits shows
    // only where it is used.
    if (
      variableDefinitions.length > 0 &&
      (variableDefinitions.some(({ variable }) => variables[variable.name.value] === null) ||
        getVariableValues(schema, variableDefinitions, variables).errors)
    ) {
      return undefined;
    }
    return kept(contextValue, variables);
  }

  #find(requested: RequestedOperation): Execute | undefined {
    const { operation } = requested;
    const known = this.#kept.get(operation);
    if (known !== undefined) return known;
    const uses = (this.#uses.get(operation) ?? 0) + 1;
    this.#uses.set(operation, uses);
    return uses > this.#usesBefore || this.#isHurried() ? this.#keep(requested) : undefined;
  }

  #keep(requested: RequestedOperation): Execute {
    const execution = compiled(requested) ?? interpreted(requested);
    const { operation } = requested;
    this.#uses.delete(operation);
    this.#kept.set(operation, execution);
    return execution;
  }
}

function interpreted({ schema, document, operation }: RequestedOperation): Execute {
  const operationName = operation.name?.value;
  return (contextValue, variableValues) =>
    execute({ schema, document, operationName, contextValue, variableValues });
}

/** Undefined for an operation that may not be compiled. */
function compiled({ schema, document, operation }: RequestedOperation): Execute | undefined {
  if (!isCompilable(document, operation)) return undefined;
  const code = compileQuery(schema, document, operation.name?.value, COMPILED);
  if (!isCompiledQuery(code)) return undefined;
  return (contextValue, variables) => {
    const { answer } = contextValue as { readonly answer?: { completesInParts: boolean } };
    if (answer !== undefined) answer.completesInParts = false;
    return code.query(undefined, contextValue, variables);
  };
}

/**
 * Whether an operation may be compiled. Compiling writes JavaScript, so this is an allow-list: of all that the caller
 * sends, only names reach the code, and GraphQL's grammar limits them to letters, digits and underscores. Literals do
 * not: the compiler replaces some of their text with code. Everything else runs in GraphQL's own executor.
 */
function isCompilable(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (operation.operation !== OperationTypeNode.QUERY) return false;
  if (!(operation.variableDefinitions ?? []).every(isPlainVariable)) return false;
  let isSafe = true;
  let hasMergedFields = false;
  let hasConditions = false;
  visit(document, {
    [Kind.FIELD]: (field) => {
      isSafe &&= isPlainField(field);
    },
    [Kind.DIRECTIVE]: (directive) => {
      hasConditions = true;
      isSafe &&= isPlainCondition(directive);
      return false;
    },
    [Kind.SELECTION_SET]: ({ selections }) => {
      hasMergedFields ||= mayMerge(selections);
    },
  });
  // The compiler merges fields with different conditions differently than GraphQL.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the visitor changes them
  return isSafe && !(hasMergedFields && hasConditions);
}

/** Whether two fields may have one key in the answer. */
function mayMerge(selections: readonly SelectionNode[]): boolean {
  const keys = selections.map((selection) =>
    selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : undefined,
  );
  return keys.includes(undefined) || new Set(keys).size < keys.length;
}

function isPlainVariable({ variable, defaultValue }: VariableDefinitionNode): boolean {
  return defaultValue === undefined && !variable.name.value.startsWith('__');
}

/** A key such as `__proto__` would mean something in an object literal; introspection stays with GraphQL. */
function isPlainField({ name, alias, arguments: given = [] }: FieldNode): boolean {
  const key = (alias ?? name).value;
  if (key.startsWith('__') && key !== '__typename') return false;
  if (name.value === '_service' || (name.value.startsWith('__') && name.value !== '__typename')) return false;
  return given.every(({ value }) => value.kind === Kind.VARIABLE);
}

function isPlainCondition({ name, arguments: given = [] }: DirectiveNode): boolean {
  return (
    (name.value === 'skip' || name.value === 'include') &&
    given.every(({ value }) => value.kind === Kind.VARIABLE || value.kind === Kind.BOOLEAN)
  );
}
