import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { type AnswerTurns } from '../load/answer-turns.js';
import { AnswerInMaking } from './answer-in-making.js';
import { answerPlan } from './answer-plan.js';
import { type Size } from './json-size.js';

/** The part of a request's context that its answer needs. */
export interface AnswerContext {
  readonly clientAddress: string;
  readonly presented: { readonly handle: string } | undefined;
  /** Aborts when the caller has hung up. */
  readonly signal: AbortSignal;
  /** Made with the first value that counts. */
  answer?: AnswerInMaking;
}

type Field = GraphQLField<unknown, AnswerContext>;

/**
 * A transform of the schema: the objects and lists that a resolver returns are charged to the answer before GraphQL completes
 * them. The fields of objects have no resolvers, so nothing is charged value by value.
 */
export function chargeAnswers(limits: Size, turns: AnswerTurns): (schema: GraphQLSchema) => GraphQLSchema {
  return (schema) => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || type.name.startsWith('__')) continue;
      for (const field of Object.values(type.getFields())) {
        const given = getNamedType(field.type);
        const mayBeLarge = isCompositeType(given) || isListType(getNullableType(field.type));
        // The SDL for routers is a constant, and is read without a request at the start.
        if (field.resolve !== undefined && mayBeLarge && given.name !== '_Service')
          chargeField(field as Field);
      }
    }
    return schema;
  };

  function chargeField(field: Field): void {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context, info) => {
      const given: unknown = resolve(source, args as never, context, info);
      return given instanceof Promise
        ? given.then((value: unknown) => charged(value, context, info))
        : charged(given, context, info);
    };
  }

  function charged(value: unknown, context: AnswerContext, info: GraphQLResolveInfo): unknown {
    if (value === null || value === undefined) return value;
    context.answer ??= new AnswerInMaking(limits, turns, {
      name: context.presented?.handle ?? context.clientAddress,
      gone: () => context.signal,
    });
    return context.answer.add(value, { plan: answerPlan(info), variables: info.variableValues });
  }
}
