/**
 * What the editor keeps in this browser: open tabs, sizes, the theme and the history. Local storage is open to every script of
 * this origin, now and later, so a text with a place for a secret is not kept at all.
 */
const SECRET = /password|apiKey|identityToken|profileKey|authorization|bearer/i;
const TABS = 'graphiql:tabState';
/** GraphiQL also keeps these separately, without the query that would say what the variables are. */
const OF_ACTIVE_TAB = { 'graphiql:query': 'query', 'graphiql:variables': 'variables' };

export const mentionsSecret = (text) => SECRET.test(text);

/** In the form that GraphiQL expects; its keys begin with `graphiql:`. */
export const kept = {
  getItem: (key) => {
    const part = OF_ACTIVE_TAB[key];
    return part === undefined ? localStorage.getItem(key) : (activeTab()?.[part] ?? null);
  },
  setItem: (key, value) => {
    if (!(key in OF_ACTIVE_TAB) && !mentionsSecret(value)) localStorage.setItem(key, value);
  },
  removeItem: (key) => localStorage.removeItem(key),
  get length() {
    return ownKeys().length;
  },
  clear: () => {
    for (const key of ownKeys()) localStorage.removeItem(key);
  },
};

function ownKeys() {
  return Object.keys(localStorage).filter((key) => key.startsWith('graphiql:'));
}

function activeTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem(TABS) ?? '{}');
    return tabs?.[activeTabIndex];
  } catch {
    return undefined;
  }
}
