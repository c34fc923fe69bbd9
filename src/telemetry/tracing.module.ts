import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Telemetry } from './telemetry.js';
import { type ApolloServerPlugin, type BaseContext, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { isFault } from '../errors/error-severity.js';
import { type Tracing } from './tracing.js';

/** OpenTelemetry inside the application: its plugin of GraphQL, and the export of what is left at the end. */
@Module({})
export class TracingModule implements OnApplicationShutdown {
  static with(telemetry: Telemetry): DynamicModule {
    return {
      module: TracingModule,
      global: true,
      providers: [
        { provide: Telemetry, useValue: telemetry },
        ...(telemetry.tracing === undefined
          ? []
          : [{ provide: ActiveTracing, useValue: telemetry.tracing }, OperationSpansPlugin]),
      ],
      exports: [Telemetry],
    };
  }

  constructor(@Inject(Telemetry) private readonly telemetry: Telemetry) {}

  /** The last answers have ended by now, and their spans with them. */
  async onApplicationShutdown(): Promise<void> {
    await this.telemetry.shutdown();
  }
}

/** The injection token of the `Tracing` of the service. */
const ActiveTracing = Symbol('ActiveTracing');

/** A span for each GraphQL operation, named by its root fields: the schema has them, so no caller makes them up. */
@Plugin()
class OperationSpansPlugin implements ApolloServerPlugin {
  constructor(@Inject(ActiveTracing) private readonly tracing: Tracing) {}

  requestDidStart(): Promise<GraphQLRequestListener<BaseContext>> {
    const { tracing } = this;
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

/**
 * The root fields of an operation by their names in the schema, each once, in the order of the document. The document
 * has been validated, so every name in it is in the schema.
 */
function rootFields(operation: OperationDefinitionNode, { definitions }: DocumentNode): string[] {
  const names = new Set<string>();
  const fragments = new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet]] : [],
    ),
  );
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        // Once is enough: a fragment that is spread many times has the same fields each time.
        fragments.delete(selection.name.value);
        if (fragment !== undefined) collect(fragment);
      }
    }
  };
  collect(operation.selectionSet);
  return [...names];
}
