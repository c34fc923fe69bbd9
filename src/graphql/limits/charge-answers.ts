import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { type AnswerBudget } from './answer-budget.js';
import { answerPlan } from './answer-plan.js';

/** The part of a request's context that this needs. */
interface AnswerContext {
  readonly answer: AnswerBudget;
}

type Field = GraphQLField<unknown, AnswerContext>;

/** Nest's name for the resolver of a field that is a property of its object. */
const PLAIN = 'rootFieldResolver';

/**
 * A transform of the schema: the objects and lists that a resolver returns are charged to the answer before GraphQL
 * completes them. The resolvers that only read a property go: GraphQL does that itself, without a call for each
 * value, and a field without a resolver can be measured and compiled.
 *
 * @throws Error at start if it finds no such resolver: fields with their own would not be measured.
 */
export function chargeAnswers(schema: GraphQLSchema): GraphQLSchema {
  let removed = 0;
  for (const field of Object.values(schema.getTypeMap()).filter(isOurs).flatMap(fieldsOf)) {
    if (field.resolve?.name === PLAIN) {
      field.resolve = undefined;
      removed += 1;
    } else if (field.resolve !== undefined && mayBeLarge(field)) charge(field as Field);
  }
  if (removed === 0) throw new Error(`No field has Nest's resolver ${PLAIN}: it has another name now`);
  return schema;
}

function isOurs(type: unknown): type is GraphQLObjectType {
  return isObjectType(type) && !type.name.startsWith('__');
}

function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields());
}

/** The SDL for routers is a constant, and is read without a request at the start. */
function mayBeLarge({ type }: GraphQLField<unknown, unknown>): boolean {
  const given = getNamedType(type);
  return (isCompositeType(given) || isListType(getNullableType(type))) && given.name !== '_Service';
}

function charge(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const charged = (value: unknown): unknown =>
      value === null || value === undefined
        ? value
        : context.answer.add(value, { plan: answerPlan(info), variables: info.variableValues });
    const given: unknown = resolve(source, args as never, context, info);
    return given instanceof Promise ? given.then(charged) : charged(given);
  };
}
