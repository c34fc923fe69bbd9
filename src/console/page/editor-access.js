/**
 * In the editors, Tab indents, so the keyboard could not leave them. After Esc, the next Tab belongs to the browser, which moves to
 * the next element, or with Shift to the previous one.
 */
export function letTabLeaveEditors(root) {
  let mayLeave = false;
  root.addEventListener(
    'keydown',
    (event) => {
      if (event.target.closest('.CodeMirror') === null) return;
      if (event.key === 'Tab' && mayLeave) event.stopPropagation();
      // Shift is pressed before the Tab that it belongs to.
      if (event.key !== 'Shift') mayLeave = event.key === 'Escape';
    },
    // Before the editor sees the key.
    { capture: true },
  );
}

/** The editor gives its fields no names, and creates those of variables and headers late. */
const NAMES = {
  '.graphiql-query-editor': 'Query',
  '.graphiql-editor-tool .graphiql-editor:nth-child(1)': 'Variables',
  '.graphiql-editor-tool .graphiql-editor:nth-child(2)': 'Headers',
  '.result-window': 'Result',
};

/** Names the fields of the editors for screen readers, as soon as they exist. */
export function nameEditors(root) {
  const observer = new MutationObserver(() => {
    for (const [place, name] of Object.entries(NAMES)) {
      root.querySelector(`${place} .CodeMirror textarea:not([aria-label])`)?.setAttribute('aria-label', name);
    }
    if (root.querySelectorAll('.CodeMirror textarea[aria-label]').length === Object.keys(NAMES).length) {
      observer.disconnect();
    }
  });
  observer.observe(root, { childList: true, subtree: true });
}
