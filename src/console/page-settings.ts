/** What the page has to know of the service that serves it. */
export interface PageSettings {
  /** The prefix of the root fields; empty without one. */
  readonly fieldPrefix: string;
  /** Whether a login without credentials is taken. */
  readonly guests: boolean;
  /** Who may log in, where the platform is the embedded one; those logins are no secrets. */
  readonly demo:
    | {
        readonly password: string;
        readonly apiKey: string;
        readonly users: readonly { readonly username: string; readonly shows: string }[];
      }
    | undefined;
}

const PLACE = 'data-settings=""';

/** The page with its settings, in an attribute: a script in the page would need a policy that allows some. */
export function withSettings(page: string, settings: PageSettings): string {
  if (!page.includes(PLACE)) throw new Error('The console page has no place for its settings');
  return page.replace(PLACE, () => `data-settings="${escaped(JSON.stringify(settings))}"`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
