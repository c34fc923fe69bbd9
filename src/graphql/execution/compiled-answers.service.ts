import { Injectable } from '@nestjs/common';
import {
  type DirectiveNode,
  type DocumentNode,
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
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';

/** The result of a compiled query, with its errors as callers see them. */
export interface CompiledAnswer {
  readonly data: ExecutionResult['data'];
  readonly errors: readonly GraphQLFormattedError[] | undefined;
  /** The errors as they were thrown, in the same order. */
  readonly thrown: readonly GraphQLError[] | undefined;
}

/**
 * Answers frequent queries with compiled code. Their errors are mapped by the same function that Apollo calls for
 * all others.
 */
@Injectable()
export class CompiledAnswers {
  readonly #queries: CompiledQueries;

  constructor(
    private readonly format: ErrorFormat,
    turns: AnswerTurns,
  ) {
    this.#queries = new CompiledQueries(USES_BEFORE_COMPILING, () => turns.size > 0);
  }

  /** Undefined if GraphQL has to execute the operation itself. Nothing was called then. */
  async answer(requested: RequestedOperation): Promise<CompiledAnswer | undefined> {
    const result = await this.#queries.execute(requested);
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
const MAX_COMPILED = 200;

/**
 * Without checks of built-in scalars and enums: they prepare the path of an error for each value, 420 bytes for an
 * item with three of them. Resolvers return what the schema says, as the client has read it.
 */
const COMPILED = { disablingCapturingStackErrors: true, disableLeafSerialization: true } as const;

/** What a request queries, after validation. */
interface RequestedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly contextValue: unknown;
}

/** Frequent queries, compiled to JavaScript. The least recently used one makes room for the next. */
export class CompiledQueries {
  readonly #usesBefore: number;
  readonly #isHurried: () => boolean;
  readonly #compiled = new Map<OperationDefinitionNode, CompiledQuery>();
  /** Uses so far; Infinity for an operation that is never compiled. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();

  /** @param isHurried whether an operation is compiled at its first use. */
  constructor(usesBefore = USES_BEFORE_COMPILING, isHurried = () => false) {
    this.#usesBefore = usesBefore;
    this.#isHurried = isHurried;
  }

  /** How many compiled queries are kept. */
  get size(): number {
    return this.#compiled.size;
  }

  /**
   * The result of a compiled query; undefined if GraphQL has to execute the operation itself. Nothing was called
   * then.
   */
  execute(requested: RequestedOperation): Promise<ExecutionResult> | ExecutionResult | undefined {
    const compiled = this.#find(requested);
    if (compiled === undefined) return undefined;
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
    const { answer } = contextValue as { readonly answer?: { completesInParts: boolean } };
    if (answer !== undefined) answer.completesInParts = false;
    return compiled.query(undefined, contextValue, variables);
  }

  #find(requested: RequestedOperation): CompiledQuery | undefined {
    const { operation } = requested;
    const known = this.#compiled.get(operation);
    if (known !== undefined) {
      if (this.#compiled.size > MAX_COMPILED / 2) {
        this.#compiled.delete(operation);
        this.#compiled.set(operation, known);
      }
      return known;
    }
    const uses = (this.#uses.get(operation) ?? 0) + 1;
    this.#uses.set(operation, uses);
    const pays = uses > this.#usesBefore || this.#isHurried();
    return pays && uses !== Infinity ? this.#compile(requested) : undefined;
  }

  #compile({ schema, document, operation }: RequestedOperation): CompiledQuery | undefined {
    const compiled = isCompilable(document, operation)
      ? compileQuery(schema, document, operation.name?.value, COMPILED)
      : undefined;
    if (compiled === undefined || !isCompiledQuery(compiled)) {
      this.#uses.set(operation, Infinity);
      return undefined;
    }
    this.#uses.delete(operation);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= MAX_COMPILED && oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(operation, compiled);
    return compiled;
  }
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
