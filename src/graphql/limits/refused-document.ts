import { type DocumentNode, type GraphQLError, Kind, type ValidationRule } from 'graphql';

const refusals = new WeakMap<DocumentNode, GraphQLError>();

/**
 * The document that is validated in place of a refused one. It is empty, so that none of GraphQL's own rules, some of
 * which take quadratic time, runs on the document that was sent; {@link refusalRule} reports the reason.
 */
export function refusedDocument(refusal: GraphQLError): DocumentNode {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
  refusals.set(document, refusal);
  return document;
}

/** Reports the refusal of a {@link refusedDocument}. */
export const refusalRule: ValidationRule = (context) => {
  const refusal = refusals.get(context.getDocument());
  if (refusal !== undefined) context.reportError(refusal);
  return {};
};
