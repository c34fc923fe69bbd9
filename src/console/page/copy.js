const SHOWN_MS = 1500;

/** Copies a text, if there is one to give, and says so on the button that asked for it. */
export async function copyFrom(button, text) {
  const label = button.textContent;
  const name = button.getAttribute('aria-label');
  // What it is called is what it shows, for those who speak to it as well.
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
  // Over plain http a browser has no clipboard for pages, but on the machine itself.
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
