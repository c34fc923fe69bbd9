/** The name of a root field under a prefix: `me` is `analyticsMe`. Federation's own fields keep theirs. */
export function prefixedName(prefix: string | undefined, name: string): string {
  if (prefix === undefined || name.startsWith('_')) return name;
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
