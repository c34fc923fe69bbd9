import { type GraphQLSchema, Kind, parse, print, printSchema, visit } from 'graphql';

/** What federation adds for routers; callers have no use for it. */
const FEDERATION_NAMES = /^(_|federation__|link__)/;

/** The SDL of a schema as clients need it: without federation's types, fields and directives, so that every tool reads it. */
export function clientSchema(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(schema)), {
    DirectiveDefinition: () => null,
    enter: (node) => {
      const isDefinition = node.kind === Kind.FIELD_DEFINITION || node.kind.endsWith('TypeDefinition');
      return isDefinition && 'name' in node && FEDERATION_NAMES.test(node.name?.value ?? '')
        ? null
        : undefined;
    },
  });
  return `${print(document)}\n`;
}
