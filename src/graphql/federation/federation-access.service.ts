import { Injectable } from '@nestjs/common';
import {
  type DocumentNode,
  type FieldNode,
  getArgumentValues,
  getVariableValues,
  type GraphQLError,
  type GraphQLSchema,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  visit,
} from 'graphql';
import { Settings } from '../../config/settings.js';
import { refusedRequest, ServiceError } from '../../errors/service-error.js';
import { asksForFederation, type FederationGate, federationGate } from './federation-gate.js';

const FORBIDDEN = 403;
const BAD_REQUEST = 400;

/** One operation of a document, as it was sent. */
export interface SentOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Has no operation if the request does not say which one it means; GraphQL reports that. */
type AskedOperation = Omit<SentOperation, 'operation'> & {
  readonly operation: SentOperation['operation'] | undefined;
};

/** Reserves the federation fields for the router, and limits how much it may request at once. */
@Injectable()
export class FederationAccess {
  readonly #isOpenTo: FederationGate;

  constructor(private readonly settings: Settings) {
    this.#isOpenTo = federationGate(settings.FEDERATION_SECRET, settings.production);
  }

  /**
   * Call it before every execution: a document is validated once, but anyone may send it again.
   *
   * @param secret as the request presents it.
   * @throws GraphQLError FORBIDDEN or BAD_USER_INPUT
   */
  check({ operation, ...sent }: AskedOperation, secret: string | undefined): void {
    if (!asksForFederation(sent.document)) return;
    if (!this.#isOpenTo(secret)) {
      const error = new ServiceError('FORBIDDEN', 'These fields are for the router of the graph only');
      throw refusedRequest(error, FORBIDDEN);
    }
    if (operation === undefined) return;
    checkRepresentations({ ...sent, operation }, this.settings.FEDERATION_MAX_REPRESENTATIONS);
  }
}

/**
 * Refuses an operation that requests too many entities, counted over all its `_entities` fields, or one whose
 * representation does not name an entity type of this subgraph. Keys are not checked: an unknown one gives null.
 *
 * @throws GraphQLError BAD_USER_INPUT
 */
function checkRepresentations(sent: SentOperation, limit: number): void {
  const representations = representationsOf(sent);
  if (representations.length > limit) {
    throw refused(`One operation may request at most ${limit} entities (FEDERATION_MAX_REPRESENTATIONS)`);
  }
  const entities = sent.schema.getType('_Entity');
  const names = new Set(isUnionType(entities) ? entities.getTypes().map(({ name }) => name) : []);
  if (!representations.every((representation) => names.has(typeNameOf(representation)))) {
    throw refused(
      'Each representation must be an object whose __typename is an entity type of this subgraph',
    );
  }
}

function refused(message: string): GraphQLError {
  return refusedRequest(new ServiceError('BAD_USER_INPUT', message), BAD_REQUEST);
}

/** The arguments as execution would see them. A variable of the wrong type is left for execution to refuse. */
function representationsOf(sent: SentOperation): readonly unknown[] {
  const fields = entitiesFields(sent.document, sent.operation);
  const lists = fields.map((field) => sentList(field, sent.variables));
  if (lists.every((list) => list !== undefined)) return lists.length === 1 ? (lists[0] ?? []) : lists.flat();
  return coercedRepresentations(fields, sent);
}

/** The list as it was sent, as routers do: it does not have to be copied to be counted. */
function sentList(
  { arguments: [given] = [] }: FieldNode,
  variables: SentOperation['variables'],
): readonly unknown[] | undefined {
  const value = given?.value.kind === Kind.VARIABLE ? variables[given.value.name.value] : undefined;
  return Array.isArray(value) ? value : undefined;
}

function coercedRepresentations(
  fields: readonly FieldNode[],
  { schema, operation, variables }: SentOperation,
): unknown[] {
  const definition = schema.getQueryType()?.getFields()._entities;
  const values = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (definition === undefined || values.coerced === undefined) return [];
  return fields.flatMap((node) => getArgumentValues(definition, node, values.coerced).representations);
}

/** Operations are parsed once and never change. */
const known = new WeakMap<OperationDefinitionNode, readonly FieldNode[]>();

/** Including fragments, but of this operation only: other operations have their own variables. */
function entitiesFields(document: DocumentNode, operation: OperationDefinitionNode): readonly FieldNode[] {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const fields: FieldNode[] = [];
  visit(separateOperations(document)[operation.name?.value ?? ''] ?? document, {
    [Kind.FIELD]: (node) => {
      if (node.name.value === '_entities') fields.push(node);
    },
  });
  known.set(operation, fields);
  return fields;
}

function typeNameOf(representation: unknown): string {
  if (typeof representation !== 'object' || representation === null) return '';
  const { __typename } = representation as { __typename?: unknown };
  return typeof __typename === 'string' ? __typename : '';
}
