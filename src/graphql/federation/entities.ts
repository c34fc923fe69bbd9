import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType, isUnionType } from 'graphql';

/** An entity as a router requests it: its type, and the fields of its key. */
interface Representation {
  readonly __typename: string;
}

/**
 * How entities of a type are found. It gets all representations of one operation together and answers in their
 * order, each entity with its `__typename`: null or undefined for one that does not exist.
 */
type ResolveReferences = (
  representations: readonly Representation[],
  context: unknown,
  info: GraphQLResolveInfo,
) => Promise<readonly unknown[]>;

/**
 * A transform of the schema: the `@ResolveReference` of a type is called once for all of its representations in
 * `_entities`, with the list of them. Called for each one, a thousand keys would cost a thousand passes through Nest
 * and the session. If it fails, that is one error, at the first entity of its type, and null for the others.
 */
export function resolveEntitiesTogether(schema: GraphQLSchema): GraphQLSchema {
  const union = schema.getType('_Entity');
  const field = schema.getQueryType()?.getFields()._entities;
  if (!isUnionType(union) || field === undefined) return schema;
  union.resolveType = ({ __typename }: Representation) => __typename;
  field.resolve = async (
    _source,
    { representations }: { representations: Representation[] },
    context,
    info,
  ) => {
    const entities: unknown[] = new Array(representations.length).fill(null);
    await Promise.all(
      [...byType(representations)].map(async ([name, places]) => {
        const wanted = places.flatMap((place) => representations[place] ?? []);
        const found = await resolver(schema, name)(wanted, context, info).catch(asFirst);
        places.forEach((place, index) => {
          entities[place] = found[index] ?? null;
        });
      }),
    );
    return entities;
  };
  return schema;
}

/** The places of the representations of each type; their types have been checked. */
function byType(representations: readonly Representation[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { __typename: name }] of representations.entries()) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [place]);
    else known.push(place);
  }
  return places;
}

function resolver(schema: GraphQLSchema, name: string): ResolveReferences {
  const type = schema.getType(name);
  const { apollo } = (isObjectType(type) ? type.extensions : {}) as {
    apollo?: { subgraph?: { resolveReference?: ResolveReferences } };
  };
  const resolve = apollo?.subgraph?.resolveReference;
  if (resolve === undefined) throw new Error(`${name} has no @ResolveReference`);
  return resolve;
}

/** GraphQL treats an error in a list as the failure of that item. */
function asFirst(error: unknown): unknown[] {
  return [error];
}
