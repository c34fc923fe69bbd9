/** Sets variables of this process, for SDKs that read them, and gives back what undoes it. */
export function setEnvironment(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  apply(variables);
  return () => {
    apply(before);
  };
}

function apply(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
}
