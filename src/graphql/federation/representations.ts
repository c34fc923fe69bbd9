import {
  type DocumentNode,
  type FieldNode,
  getArgumentValues,
  getVariableValues,
  type GraphQLSchema,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  visit,
} from 'graphql';
import { RefusedRequestError } from '../errors/refused-request-error.js';

const BAD_REQUEST = 400;

/** One operation of a document, as it was sent. */
export interface SentOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Refuses an operation that asks for too many entities, counted over all its `_entities` fields, or for one whose
 * representation does not name an entity type of this subgraph. Keys are not checked: an unknown one gives null.
 *
 * @throws RefusedRequestError
 */
export function checkRepresentations(sent: SentOperation, limit: number): void {
  const representations = representationsOf(sent);
  if (representations.length > limit) {
    throw new RefusedRequestError(
      `One operation may ask for ${limit} entities at most (FEDERATION_MAX_REPRESENTATIONS)`,
      BAD_REQUEST,
      'BAD_USER_INPUT',
    );
  }
  const entities = sent.schema.getType('_Entity');
  const names = new Set(isUnionType(entities) ? entities.getTypes().map(({ name }) => name) : []);
  if (!representations.every((representation) => names.has(typeNameOf(representation)))) {
    throw new RefusedRequestError(
      'Each representation must be an object whose __typename is an entity type of this subgraph',
      BAD_REQUEST,
      'BAD_USER_INPUT',
    );
  }
}

/** The arguments as execution would see them. A variable of the wrong type is left for execution to refuse. */
function representationsOf({ schema, document, operation, variables }: SentOperation): unknown[] {
  const field = schema.getQueryType()?.getFields()._entities;
  const values = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (field === undefined || values.coerced === undefined) return [];
  return entitiesFields(document, operation).flatMap(
    (node) => getArgumentValues(field, node, values.coerced).representations,
  );
}

/** Including fragments, but of this operation only: other operations have their own variables. */
function entitiesFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fields: FieldNode[] = [];
  visit(separateOperations(document)[operation.name?.value ?? ''] ?? document, {
    [Kind.FIELD]: (node) => {
      if (node.name.value === '_entities') fields.push(node);
    },
  });
  return fields;
}

function typeNameOf(representation: unknown): string {
  if (typeof representation !== 'object' || representation === null) return '';
  const { __typename } = representation as { __typename?: unknown };
  return typeof __typename === 'string' ? __typename : '';
}
