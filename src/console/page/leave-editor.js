/**
 * In the editors Tab indents, so the keyboard could not leave them. After Esc the next Tab belongs to the browser, which goes on to
 * what comes next, or with Shift to what came before.
 */
export function letTabLeaveEditors(root) {
  let mayLeave = false;
  root.addEventListener(
    'keydown',
    (event) => {
      if (event.target.closest('.CodeMirror') === null) return;
      if (event.key === 'Tab' && mayLeave) event.stopPropagation();
      // Shift comes before the Tab that it belongs to.
      if (event.key !== 'Shift') mayLeave = event.key === 'Escape';
    },
    // Before the editor sees the key.
    { capture: true },
  );
}
