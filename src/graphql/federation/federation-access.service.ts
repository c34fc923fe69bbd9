import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { asksForFederation, type FederationGate, federationGate } from './federation-gate.js';
import { checkRepresentations, type SentOperation } from './representations.js';
import { refusedRequest, ServiceError } from '../../errors/service-error.js';

const FORBIDDEN = 403;

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
