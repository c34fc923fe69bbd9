import { PROJECTS } from '../platform/answers.ts';

/** A kind of request that is made under load. */
export interface Case {
  readonly title: string;
  readonly body: object;
  /** The data of the right answer. */
  readonly data: object;
  /** How many sessions the callers have among them. */
  readonly sessions: 'own' | 'shared';
  readonly federation?: boolean;
}

export type CaseId = 'own' | 'shared' | 'hasSession' | 'typename' | 'entities';

export const FEDERATION_SECRET = 'bench-secret-bench-secret-bench-1';

const projects = { body: { query: '{ projects { id name description } }' }, data: { projects: PROJECTS } };

export const CASES: Readonly<Record<CaseId, Case>> = {
  own: {
    ...projects,
    title: '`projects`, own session per client',
    sessions: 'own',
  },
  shared: {
    ...projects,
    title: '`projects`, one shared session',
    sessions: 'shared',
  },
  hasSession: {
    title: '`{ hasSession }`',
    body: { query: '{ hasSession }' },
    data: { hasSession: true },
    sessions: 'own',
  },
  typename: {
    title: '`{ __typename }`',
    body: { query: '{ __typename }' },
    data: { __typename: 'Query' },
    sessions: 'own',
  },
  entities: {
    title: '`_entities` of 100 keys',
    body: {
      query:
        'query ($keys: [_Any!]!) { _entities(representations: $keys) { ... on Project { id name description } } }',
      variables: { keys: PROJECTS.map(({ id }) => ({ __typename: 'Project', id })) },
    },
    data: { _entities: PROJECTS },
    sessions: 'own',
    federation: true,
  },
};

export const CASE_IDS = Object.keys(CASES) as CaseId[];
