/** What the service says about itself: the prefix of its root fields, whether it takes guests, and the demo's logins. */
export const settings = JSON.parse(document.body.dataset.settings);

/** Selects a root field by its name in this service, under its usual name. */
export function field(name) {
  const { fieldPrefix } = settings;
  if (fieldPrefix === '') return name;
  return `${name}: ${fieldPrefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
