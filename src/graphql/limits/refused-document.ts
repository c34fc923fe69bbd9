import { type DocumentNode, Kind, type ValidationRule } from 'graphql';
import { type RefusedRequestError } from '../../errors/refused-request-error.js';

const refusals = new WeakMap<DocumentNode, RefusedRequestError>();

/**
 * The document that is validated in place of a refused one. It is empty, so that none of GraphQL's own rules, some of
 * which take quadratic time, runs on the document that was sent; {@link refusalRule} reports the reason.
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
