/** The name of a root field with a prefix: `me` becomes `analyticsMe`. Federation's own fields keep their names. */
export function prefixedName(prefix: string | undefined, name: string): string {
  if (prefix === undefined || name.startsWith('_')) return name;
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
