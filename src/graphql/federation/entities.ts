import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType, isUnionType } from 'graphql';
import { ServiceError } from '../../errors/service-error.js';

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
 * and the session. If it fails, that is one error, at the first entity of its type, and null for the others. Too many
 * entities are also one error at the first of them, and so is a representation of a type that is not an entity.
 *
 * @param limit how many entities one operation may request, over all its `_entities` fields.
 */
export function resolveEntitiesTogether(limit: number): (schema: GraphQLSchema) => GraphQLSchema {
  return (schema) => {
    const union = schema.getType('_Entity');
    const field = schema.getQueryType()?.getFields()._entities;
    if (!isUnionType(union) || field === undefined) return schema;
    union.resolveType = ({ __typename }: Representation) => __typename;
    const names = new Set(union.getTypes().map(({ name }) => name));
    const requested = new WeakMap<object, number>();
    field.resolve = async (
      _source,
      { representations }: { representations: unknown[] },
      context: object,
      info,
    ) => {
      const before = requested.get(context) ?? 0;
      const count = before + representations.length;
      requested.set(context, count);
      const entities: unknown[] = new Array(representations.length).fill(null);
      if (count > limit) {
        if (before <= limit) entities[0] = tooMany(limit);
        return entities;
      }
      const { places, unfit } = byType(representations, names);
      if (unfit !== undefined) entities[unfit] = notAnEntity();
      await Promise.all(
        [...places].map(async ([name, placesOfType]) => {
          const wanted = placesOfType.map((place) => representations[place] as Representation);
          const found = await resolver(schema, name)(wanted, context, info).catch(asFirst);
          placesOfType.forEach((place, index) => {
            entities[place] = found[index] ?? null;
          });
        }),
      );
      return entities;
    };
    return schema;
  };
}

/** The places of the representations of each type, and the first place that has none of an entity. */
function byType(
  representations: readonly unknown[],
  names: ReadonlySet<string>,
): { places: Map<string, number[]>; unfit: number | undefined } {
  const places = new Map<string, number[]>();
  let unfit: number | undefined;
  for (const [place, representation] of representations.entries()) {
    const name = typeNameOf(representation);
    const known = places.get(name);
    if (!names.has(name)) unfit ??= place;
    else if (known === undefined) places.set(name, [place]);
    else known.push(place);
  }
  return { places, unfit };
}

function typeNameOf(representation: unknown): string {
  const { __typename } = (representation ?? {}) as { __typename?: unknown };
  return typeof __typename === 'string' ? __typename : '';
}

function tooMany(limit: number): ServiceError {
  const message = `One operation may request at most ${limit} entities (FEDERATION_MAX_REPRESENTATIONS)`;
  return new ServiceError('BAD_USER_INPUT', message);
}

function notAnEntity(): ServiceError {
  const message = 'Each representation must be an object whose __typename is an entity type of this subgraph';
  return new ServiceError('BAD_USER_INPUT', message);
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
