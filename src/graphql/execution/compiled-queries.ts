import {
  type DocumentNode,
  type ExecutionResult,
  getVariableValues,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { isCompilable } from './compilable.js';

/** Compiling takes as long as about ten executions, so it pays only for an operation that is repeated. */
const USES_BEFORE_COMPILING = 8;
const MAX_COMPILED = 200;

/** What a request queries, after validation. */
export interface RequestedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly contextValue: unknown;
}

/** Frequent queries, compiled to JavaScript. The least recently used one makes room for the next. */
export class CompiledQueries {
  readonly #usesBefore: number;
  readonly #compiled = new Map<OperationDefinitionNode, CompiledQuery>();
  /** Uses so far; Infinity for an operation that is never compiled. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();

  constructor(usesBefore = USES_BEFORE_COMPILING) {
    this.#usesBefore = usesBefore;
  }

  /** How many compiled queries are kept. */
  get size(): number {
    return this.#compiled.size;
  }

  /** The result of a compiled query; undefined if GraphQL has to execute the operation itself. Nothing was called then. */
  execute(requested: RequestedOperation): Promise<ExecutionResult> | ExecutionResult | undefined {
    const compiled = this.#find(requested);
    if (compiled === undefined) return undefined;
    const { schema, operation, variables, contextValue } = requested;
    const { variableDefinitions = [] } = operation;
    // GraphQL reports what is wrong with a variable, in words that the error mapping knows.
    if (variableDefinitions.length > 0 && getVariableValues(schema, variableDefinitions, variables).errors) {
      return undefined;
    }
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
    return uses > this.#usesBefore && uses !== Infinity ? this.#compile(requested) : undefined;
  }

  #compile({ schema, document, operation }: RequestedOperation): CompiledQuery | undefined {
    const compiled = isCompilable(document, operation)
      ? compileQuery(schema, document, operation.name?.value, { disablingCapturingStackErrors: true })
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
