/** Keeps the top-level fields that `?fields=a,b` names. Without it, or with it empty, keeps all. */
export function selectFields(value: object, query: URLSearchParams): object {
  const names = query.getAll('fields').flatMap((list) => list.split(','));
  const wanted = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  if (wanted.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => wanted.has(name)));
}
