import {
  type ConstDirectiveNode,
  type DocumentNode,
  isTypeDefinitionNode,
  Kind,
  type NameNode,
  parse,
  type TypeNode,
} from 'graphql';

/** A type, one of its fields, or a value of an enum, as an SDL defines it. */
export interface Defined {
  /** `Type`, or `Type.field`. */
  readonly path: string;
  /** The type of a field of an answer; undefined for one of an input. */
  readonly type: TypeNode | undefined;
}

interface Node {
  readonly name: NameNode;
  readonly directives?: readonly ConstDirectiveNode[];
  readonly type?: TypeNode;
}

/** Names that belong to the federation itself. */
const FOREIGN = /^_|__/;

/** The SDL with further directives, written as in `@tag(name: "public")`, for each type, field and value of an enum. */
export function withDirectives(
  sdl: DocumentNode,
  directivesOf: (defined: Defined) => readonly string[],
): DocumentNode {
  const extended = <N extends Node>(node: N, path: string, type?: TypeNode): N => {
    const added = directivesOf({ path, type }).map(directive);
    return added.length === 0 ? node : { ...node, directives: [...(node.directives ?? []), ...added] };
  };
  return {
    ...sdl,
    definitions: sdl.definitions.map((definition) => {
      if (!isTypeDefinitionNode(definition) || FOREIGN.test(definition.name.value)) return definition;
      const name = definition.name.value;
      const isInput = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
      const members = <N extends Node>(nodes: readonly N[] | undefined): N[] | undefined =>
        nodes?.map((node) => extended(node, `${name}.${node.name.value}`, isInput ? undefined : node.type));
      const type = extended(definition, name);
      if ('fields' in type) return { ...type, fields: members<Node>(type.fields) } as typeof type;
      if ('values' in type) return { ...type, values: members(type.values) };
      return type;
    }),
  };
}

function directive(text: string): ConstDirectiveNode {
  const [definition] = parse(`scalar S ${text}`, { noLocation: true }).definitions;
  const [node] = (definition as { directives?: readonly ConstDirectiveNode[] }).directives ?? [];
  if (node === undefined) throw new Error(`${text} is not a directive`);
  return node;
}
