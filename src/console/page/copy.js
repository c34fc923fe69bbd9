const SHOWN_MS = 1500;

/** Copies a text, if there is one, and says so on the button that was clicked. */
export async function copyFrom(button, text) {
  const label = button.textContent;
  const name = button.getAttribute('aria-label');
  // Its accessible name is the text that it shows, which also helps voice control.
  button.removeAttribute('aria-label');
  button.textContent = text === undefined ? 'Has a secret' : (await copy(text)) ? 'Copied' : 'Not allowed';
  button.disabled = true;
  setTimeout(() => {
    button.textContent = label;
    if (name !== null) button.setAttribute('aria-label', name);
    button.disabled = false;
  }, SHOWN_MS);
}

async function copy(text) {
  // Over plain http, browsers give pages a clipboard only on the machine itself.
  if (navigator.clipboard === undefined) return copyBySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function copyBySelection(text) {
  const area = Object.assign(document.createElement('textarea'), { value: text, className: 'sr' });
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
