export const PROJECT_PAGE = /* GraphQL */ `
  query ProjectPage($first: Int!) {
    projectsConnection(first: $first, orderBy: NAME) {
      nodes {
        id
        name
      }
      totalCount
    }
  }
`;
