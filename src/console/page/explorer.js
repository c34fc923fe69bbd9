/* global GraphiQL, React, ReactDOM */
import { copyFrom } from './copy.js';
import { field, post } from './graphql.js';
import { kept, mentionsSecret } from './kept.js';
import { letTabLeaveEditors, nameEditors } from './editor-access.js';

const FIRST_QUERY = `# Log in, then run this.
query Start {
  ${field('me')} { fullName }
  ${field('projectsConnection')}(first: 5) {
    totalCount
    nodes { id name }
  }
}
`;
/** What federation adds for routers; it is of no use to people who write queries. */
const FEDERATION = /^(_|federation__|link__)/;

/** The editor, with the query and the variables from the address. It never runs them on its own. */
export function showExplorer() {
  const root = document.getElementById('graphiql');
  const address = new URLSearchParams(location.search);
  const now = { query: address.get('query'), variables: address.get('variables') };
  ReactDOM.createRoot(root).render(
    React.createElement(
      GraphiQL,
      {
        fetcher,
        storage: kept,
        shouldPersistHeaders: false,
        defaultQuery: FIRST_QUERY,
        query: now.query ?? undefined,
        variables: now.variables ?? undefined,
        onEditQuery: (query) => (now.query = query),
        onEditVariables: (variables) => (now.variables = variables),
      },
      React.createElement(GraphiQL.Logo, null, ''),
    ),
  );
  letTabLeaveEditors(root);
  nameEditors(root);
  const button = document.getElementById('copy-link');
  button.addEventListener('click', () => void copyFrom(button, link(now)));
}

/**
 * An address that shows the content of the editor to anyone who opens it. A secret would stay in the history of every browser, so there is no
 * address for one.
 */
function link({ query, variables }) {
  const parts = Object.entries({ query: query ?? FIRST_QUERY, variables }).filter(([, text]) => text?.trim());
  if (parts.some(([, text]) => mentionsSecret(text))) return undefined;
  return `${location.origin}/?${new URLSearchParams(parts)}`;
}

async function fetcher(request, { headers, documentAST } = {}) {
  const isIntrospection = documentAST === undefined && request.operationName === 'IntrospectionQuery';
  // From now on the result pane has something to show.
  if (!isIntrospection) document.body.dataset.ran = '';
  const answer = await post(request, { headers, quiet: isIntrospection });
  return isIntrospection ? withoutFederation(answer) : answer;
}

function withoutFederation(answer) {
  const schema = answer.data?.__schema;
  if (!schema) return answer;
  const types = schema.types
    .filter(({ name }) => !FEDERATION.test(name))
    .map((type) => ({ ...type, fields: type.fields?.filter(({ name }) => !FEDERATION.test(name)) ?? null }));
  const names = new Set(types.map(({ name }) => name));
  const directives = schema.directives.filter(({ args }) =>
    args.every(({ type }) => names.has(namedType(type))),
  );
  return { ...answer, data: { ...answer.data, __schema: { ...schema, types, directives } } };
}

function namedType(type) {
  return type.ofType ? namedType(type.ofType) : type.name;
}
