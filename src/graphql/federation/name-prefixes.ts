import { mapSchema, MapperKind } from '@graphql-tools/utils';
import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type NamedTypeNode,
  type TypeDefinitionNode,
  visit,
} from 'graphql';
import { prefixedName } from '../../config/prefixed-name.js';

/** What is put in front of names that are taken in a graph. */
export interface NamePrefixes {
  /** Of the root fields. */
  readonly field: string | undefined;
  /** Of the types, except those that a graph shares. */
  readonly type: string | undefined;
}

interface TypeConfig {
  readonly name: string;
  readonly astNode?: { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined;
}

/** A transform of the schema that gives names their prefixes. Resolvers know nothing about it. */
export function prefixNames({ field, type }: NamePrefixes): (schema: GraphQLSchema) => GraphQLSchema {
  if (field === undefined && type === undefined) return (schema) => schema;
  const named = <Config extends TypeConfig>(config: Config): Config =>
    isOwnType(config.name, config.astNode?.directives)
      ? { ...config, name: `${type ?? ''}${config.name}` }
      : config;
  return (schema) =>
    mapSchema(schema, {
      [MapperKind.ROOT_FIELD]: (config, name) => [prefixedName(field, name), config],
      [MapperKind.OBJECT_TYPE]: (own) => new GraphQLObjectType(named(own.toConfig())),
      [MapperKind.ENUM_TYPE]: (own) => new GraphQLEnumType(named(own.toConfig())),
      [MapperKind.INPUT_OBJECT_TYPE]: (own) => new GraphQLInputObjectType(named(own.toConfig())),
    });
}

/** The same in the SDL that routers read. */
export function prefixedSdl({ field, type }: NamePrefixes): (sdl: DocumentNode) => DocumentNode {
  const renamed = <Node extends NamedTypeNode | FieldDefinitionNode | TypeDefinitionNode>(
    node: Node,
    value: string,
  ): Node => ({ ...node, name: { ...node.name, value } });
  return (sdl) => {
    const own = new Set(
      sdl.definitions.flatMap((definition) =>
        OWN_KINDS.has(definition.kind) && isOwnType(nameOf(definition), definition.directives)
          ? [nameOf(definition)]
          : [],
      ),
    );
    const withPrefix = <Node extends NamedTypeNode | TypeDefinitionNode>(node: Node): Node | undefined =>
      type !== undefined && own.has(node.name.value) ? renamed(node, `${type}${node.name.value}`) : undefined;
    return visit(sdl, {
      [Kind.NAMED_TYPE]: withPrefix,
      [Kind.ENUM_TYPE_DEFINITION]: withPrefix,
      [Kind.INPUT_OBJECT_TYPE_DEFINITION]: withPrefix,
      [Kind.OBJECT_TYPE_DEFINITION]: (node) =>
        ROOTS.has(node.name.value)
          ? {
              ...node,
              fields: node.fields?.map((each) => renamed(each, prefixedName(field, each.name.value))),
            }
          : withPrefix(node),
    });
  };
}

/** Scalars keep their names: every subgraph may declare them. */
const OWN_KINDS: ReadonlySet<Kind> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
]);
const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation']);
/** Directives of types that mean the same in every subgraph. */
const SHARED: ReadonlySet<string> = new Set(['key', 'shareable']);
/** Types of federation and of introspection. */
const OF_FEDERATION = /^(?:_|link__|federation__)/;

/** Whether a type is this subgraph's alone. */
function isOwnType(name: string, directives: readonly DirectiveNode[] = []): boolean {
  const isShared = directives.some((directive) => SHARED.has(directive.name.value));
  return !isShared && !ROOTS.has(name) && !OF_FEDERATION.test(name);
}

function nameOf(definition: DefinitionNode): string {
  return 'name' in definition ? (definition.name?.value ?? '') : '';
}
