import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { DocumentMeasure, type Measure } from './document-measure.js';

/** The limits of one document. */
export interface DocumentLimits {
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly rootFields: number;
  readonly cost: number;
}

/** Enough for the introspection queries of common tools. */
const INTROSPECTION_DEPTH = 16;
/** Those tools read each part once. The lists of the schema are long, and their lengths multiply too. */
const MOST_SCHEMA_COPIES = 4;

/**
 * A message for the first limit that a document exceeds; undefined if it exceeds none. It quotes nothing of the
 * document. A document may have one login, delegation, extension or logout, counted over all its operations and
 * fragments: a second one in the same request would be a password guess that no request limiter counts.
 */
export function brokenLimit(
  document: DocumentNode,
  schema: GraphQLSchema,
  limits: DocumentLimits,
): string | undefined {
  const measures = new DocumentMeasure(schema, document);
  const operations = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => ({ operation, measure: measures.ofOperation(operation) }));
  if (mutationFields(operations) > 1) {
    return 'The document has more than one login, delegate, extend or logout';
  }
  for (const { measure } of operations) {
    if (fieldCount(measure) > limits.rootFields) {
      return `The document has more than ${limits.rootFields} root fields`;
    }
  }
  for (const measure of [...operations.map((each) => each.measure), ...measures.ofFragments()]) {
    const broken = brokenByPart(measure, limits);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function brokenByPart(measure: Measure, limits: DocumentLimits): string | undefined {
  if (measure.depth > limits.depth) return `The document is more than ${limits.depth} levels deep`;
  if (measure.introspectionDepth > INTROSPECTION_DEPTH) {
    return `The document reads the schema more than ${INTROSPECTION_DEPTH} levels deep`;
  }
  if (Math.max(0, ...measure.schemaParts.values()) > MOST_SCHEMA_COPIES) {
    return `The document reads one part of the schema more than ${MOST_SCHEMA_COPIES} times`;
  }
  if (Math.max(measure.mostOfOneField, ...measure.fields.values()) > limits.aliases) {
    return `The document selects one field more than ${limits.aliases} times`;
  }
  if (measure.directives > limits.directives)
    return `The document has more than ${limits.directives} directives`;
  if (measure.cost > limits.cost) return `The document costs more than ${limits.cost}`;
  return undefined;
}

function mutationFields(
  operations: readonly { operation: OperationDefinitionNode; measure: Measure }[],
): number {
  return operations
    .filter(({ operation }) => operation.operation === OperationTypeNode.MUTATION)
    .reduce((sum, { measure }) => sum + fieldCount(measure) - (measure.fields.get('__typename') ?? 0), 0);
}

function fieldCount({ fields }: Measure): number {
  return [...fields.values()].reduce((sum, count) => sum + count, 0);
}
