/** A second subgraph of the graph: it knows only the ids of projects, and adds ratings to them. */
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';

export const RATINGS_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])

  type Query {
    "The projects that were rated best, the best first; null for one that the caller may not see."
    topRated(first: Int! = 3): [Project]!
    "Every rating, the oldest of each project first."
    ratings: [Rating!]!
  }

  type Mutation {
    "Rates a project with one to five stars."
    rate(projectId: ID!, stars: Int!): Project
  }

  type Project @key(fields: "id") {
    id: ID!
    "The mean of all stars; null without any."
    rating: Float
    "Its ratings, the oldest first."
    ratings: [Rating!]!
  }

  type Rating {
    stars: Int!
    "The project that was rated; null for one that the caller may not see."
    project: Project
  }
`;

interface Project {
  readonly id: string;
}

interface Rating {
  readonly stars: number;
  readonly project: Project;
}

export interface RunningSubgraph {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * @param port 0: any free port.
 * @param stars earlier ratings, by project id.
 */
export async function startRatingsSubgraph(
  port: number,
  stars = new Map<string, number[]>(),
): Promise<RunningSubgraph> {
  const rating = (id: string): number | null => {
    const given = stars.get(id);
    return given === undefined ? null : given.reduce((sum, one) => sum + one, 0) / given.length;
  };
  const ratings = (id: string): Rating[] =>
    (stars.get(id) ?? []).map((given) => ({ stars: given, project: { id } }));
  const resolvers = {
    Query: {
      ratings: (): Rating[] => [...stars.keys()].flatMap(ratings),
      topRated: (_: unknown, { first }: { first: number }): Project[] =>
        [...stars.keys()]
          .sort((one, other) => (rating(other) ?? 0) - (rating(one) ?? 0))
          .slice(0, first)
          .map((id) => ({ id })),
    },
    Mutation: {
      rate: (_: unknown, { projectId, stars: given }: { projectId: string; stars: number }): Project => {
        if (given < 1 || given > 5) {
          throw new GraphQLError('Give one to five stars', { extensions: { code: 'BAD_USER_INPUT' } });
        }
        stars.set(projectId, [...(stars.get(projectId) ?? []), given]);
        return { id: projectId };
      },
    },
    Project: {
      __resolveReference: ({ id }: Project): Project => ({ id }),
      rating: ({ id }: Project) => rating(id),
      ratings: ({ id }: Project) => ratings(id),
    },
  };
  const server = new ApolloServer({
    schema: buildSubgraphSchema([{ typeDefs: parse(RATINGS_SDL), resolvers }]),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  });
  const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port } });
  return { url, stop: () => server.stop() };
}
