import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DocumentNode,
  Kind,
  type StringValueNode,
  type TypeNode,
  visit,
} from 'graphql';
import { type SdlEdit } from './subgraph-sdl.js';
import { withDirectives } from './with-directives.js';

/** The first version with `@cost` and `@listSize`. */
const FEDERATION_WITH_COSTS = 'https://specs.apollo.dev/federation/v2.9';
const IMPORTS: readonly ConstValueNode[] = ['@cost', '@listSize'].map(text);
/** As much as in the limit of the service itself: the whole object of the platform costs as much as ten fields. */
const JSON_OBJECT_COST = 10;

/**
 * Tells routers what documents cost: how long lists are assumed to be, and what costs more than a field.
 *
 * @param listSize if undefined, routers learn nothing about costs, and composers need not support them.
 */
export function demandControl(listSize: number | undefined): SdlEdit {
  if (listSize === undefined) return (sdl) => sdl;
  return (sdl) =>
    linkedWithCosts(
      withDirectives(sdl, ({ type }) => {
        if (type === undefined) return [];
        const isJson = namedType(type) === 'JSONObject';
        return [
          ...(isList(type) ? [`@listSize(assumedSize: ${listSize})`] : []),
          ...(isJson ? [`@cost(weight: ${JSON_OBJECT_COST})`] : []),
        ];
      }),
    );
}

function linkedWithCosts(sdl: DocumentNode): DocumentNode {
  return visit(sdl, {
    [Kind.SCHEMA_EXTENSION]: ({ directives, ...extension }) => ({
      ...extension,
      directives: directives?.map((directive) =>
        directive.name.value === 'link'
          ? { ...directive, arguments: directive.arguments?.map(argument) }
          : directive,
      ),
    }),
  });
}

function argument({
  name,
  value,
  ...rest
}: NonNullable<ConstDirectiveNode['arguments']>[number]): typeof rest & {
  name: typeof name;
  value: ConstValueNode;
} {
  if (name.value === 'url') return { ...rest, name, value: text(FEDERATION_WITH_COSTS) };
  if (value.kind !== Kind.LIST) return { ...rest, name, value };
  return { ...rest, name, value: { ...value, values: [...value.values, ...IMPORTS] } };
}

function text(value: string): StringValueNode {
  return { kind: Kind.STRING, value };
}

function isList(type: TypeNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
