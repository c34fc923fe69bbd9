import { graphql } from 'relay-runtime';

/** Only Relay's compiler reads it: what runs is what it writes into generated/relay. */
export const projectPage = () => graphql`
  query ProjectPageQuery($first: Int!, $after: String) {
    projectsConnection(first: $first, after: $after, orderBy: NAME)
      @connection(key: "ProjectPage_projectsConnection") {
      edges {
        node {
          id
          name
          dateModified
        }
      }
    }
    session {
      expiresAt
      transport
    }
  }
`;
