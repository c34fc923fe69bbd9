import { graphql, type ResultOf } from './graphql.js';

/** Does not call the platform and extends nothing, so it can be queried at any rate. */
export const SESSION = graphql(`
  query Session {
    session {
      startedAt
      expiresInSeconds
      idleExpiresInSeconds
      platformExpiresInSeconds
    }
  }
`);

export const ME = graphql(`
  query Me {
    me {
      fullName
    }
  }
`);

export const PROJECTS = graphql(`
  query Projects($after: String, $filter: ProjectFilter) {
    projectsConnection(first: 9, after: $after, filter: $filter) {
      totalCount
      nodes {
        id
        name
        description
        status
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** Includes the timeout, which the countdown needs: the platform reports it only here. */
export const LOGIN = graphql(`
  mutation Login($input: LoginInput!) {
    login(input: $input) {
      expiresAt
      sessionStatus {
        timeoutSeconds
      }
    }
  }
`);

export const EXTEND = graphql(`
  mutation Extend {
    extend {
      expiresAt
    }
  }
`);

export const LOGOUT = graphql(`
  mutation Logout {
    logout {
      loggedOut
    }
  }
`);

export type Session = NonNullable<ResultOf<typeof SESSION>['session']>;
export type ProjectPage = NonNullable<ResultOf<typeof PROJECTS>['projectsConnection']>;
