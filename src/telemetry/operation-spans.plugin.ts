import { type ApolloServerPlugin, type BaseContext, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Inject } from '@nestjs/common';
import { isFault } from '../errors/error-severity.js';
import { rootFields } from './root-fields.js';
import { ActiveTracing } from './active-tracing.js';
import { type Tracing } from './tracing.js';

/** A span for each GraphQL operation, named by its root fields: the schema has them, so no caller makes them up. */
@Plugin()
export class OperationSpansPlugin implements ApolloServerPlugin {
  constructor(@Inject(ActiveTracing) private readonly tracing: Tracing | undefined) {}

  requestDidStart(): Promise<GraphQLRequestListener<BaseContext> | undefined> {
    const { tracing } = this;
    if (tracing === undefined) return Promise.resolve(undefined);
    const span = tracing.begin('graphql');
    tracing.activate(span);
    return Promise.resolve({
      didResolveOperation: ({ operation, document }) => {
        if (operation === undefined) return Promise.resolve();
        const fields = rootFields(operation, document);
        span.updateName(
          fields.length === 1 ? `${operation.operation} ${fields[0] ?? ''}` : operation.operation,
        );
        span.setAttributes({
          'graphql.operation.type': operation.operation,
          'portico.graphql.fields': fields,
        });
        return Promise.resolve();
      },
      willSendResponse: ({ response: { body } }) => {
        const errors = (body.kind === 'single' ? body.singleResult : body.initialResult).errors ?? [];
        const codes = [...new Set(errors.map(({ extensions }) => String(extensions?.code)))];
        const fault = codes.find(isFault);
        if (codes.length > 0) span.setAttribute('portico.graphql.error_codes', codes);
        if (fault !== undefined) tracing.fail(span, fault);
        span.end();
        return Promise.resolve();
      },
    });
  }
}
