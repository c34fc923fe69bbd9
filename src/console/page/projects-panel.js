import { copyFrom } from './copy.js';
import { field, post, told, typeName } from './graphql.js';
import { follow, idOf } from './session.js';

const PAGE = 10;
const TYPING_MS = 250;
const PROJECTS = `query ($first: Int!, $after: String, $filter: ${typeName('ProjectFilter')}) {
  ${field('projectsConnection')}(first: $first, after: $after, filter: $filter) {
    totalCount nodes { id name status } pageInfo { hasNextPage endCursor }
  }
}`;

const element = (id) => document.getElementById(id);
const [panel, list, more, note] = ['projects', 'project-list', 'more-projects', 'project-note'].map(element);
let shownFor;
let endCursor;
let newest = 0;

/** The projects of the session at a glance, with their ids to copy. */
export function showProjects() {
  follow(({ session }) => {
    panel.hidden = !session;
    const id = idOf(session);
    if (id === shownFor) return;
    shownFor = id;
    element('project-search').value = '';
    clear();
    if (session) void load();
  });
  more.addEventListener('click', () => void load(endCursor));
  let typing;
  element('project-search').addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void load(), TYPING_MS);
  });
}

function clear() {
  newest += 1;
  list.replaceChildren();
  element('project-count').textContent = '';
  note.textContent = '';
  more.hidden = true;
}

/** @param after the cursor to continue from; without it the list starts over. */
async function load(after) {
  const asked = (newest += 1);
  const nameContains = element('project-search').value.trim();
  const filter = nameContains === '' ? undefined : { nameContains };
  note.textContent = 'Loading…';
  try {
    const answer = await post({ query: PROJECTS, variables: { first: PAGE, after, filter } });
    // A later query, or another session, has arrived meanwhile.
    if (asked !== newest) return;
    if (!answer.data?.projectsConnection) throw new Error(told(answer.errors[0]));
    show(answer.data.projectsConnection, after !== undefined);
  } catch (error) {
    if (asked === newest) note.textContent = error.message;
  }
}

function show({ totalCount, nodes, pageInfo }, isMore) {
  const items = nodes.map(projectItem);
  if (isMore) list.append(...items);
  else list.replaceChildren(...items);
  element('project-count').textContent = totalCount.toLocaleString();
  note.textContent = totalCount === 0 ? 'None' : '';
  more.hidden = !pageInfo.hasNextPage;
  endCursor = pageInfo.endCursor;
}

function projectItem({ id, name, status }) {
  const item = document.createElement('li');
  item.className = 'project';
  const copy = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy id' });
  copy.setAttribute('aria-label', `Copy id of ${name}`);
  copy.addEventListener('click', () => void copyFrom(copy, id));
  const title = Object.assign(document.createElement('strong'), { textContent: name });
  if (status !== 0) title.append(' ', statusTag(status));
  const code = Object.assign(document.createElement('code'), { textContent: id });
  item.append(title, code, copy);
  return item;
}

/** The platform's numbers: 0 is active, above 0 is idle, below 0 is offline. */
function statusTag(status) {
  const text = status === null ? 'unknown' : status > 0 ? 'idle' : 'offline';
  return Object.assign(document.createElement('span'), { className: 'tag', textContent: text });
}
