import { type DocumentNode, Kind, type ValidationRule } from 'graphql';
import { type RefusedRequestError } from '../errors/refused-request-error.js';

const refusals = new WeakMap<DocumentNode, RefusedRequestError>();

/**
 * What is validated in the place of a document that is refused. It is empty, so that none of GraphQL's own rules, some
 * of which take quadratic time, ever looks at the one that was sent; {@link refusalRule} tells why.
 */
export function refusedDocument(refusal: RefusedRequestError): DocumentNode {
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
