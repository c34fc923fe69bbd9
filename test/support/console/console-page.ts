import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** The console, open in a browser context of its own. */
export interface ConsolePage {
  readonly page: Page;
  /** Hosts that were asked for anything. */
  readonly hosts: ReadonlySet<string>;
  /** What the browser complained of: errors of scripts, and what the policy of the page refused. */
  readonly complaints: readonly string[];
  /** Waits until the line of the page says this. */
  says(text: string): Promise<void>;
  /** Puts a document into the editor and runs it. */
  run(query: string): Promise<void>;
  /** Waits until the result has this. */
  answers(text: string): Promise<void>;
  close(): Promise<void>;
}

/** @param path what follows the address of the service. */
export async function openConsole(
  browser: Browser,
  url: string,
  { path = '/', ...options }: BrowserContextOptions & { path?: string } = {},
): Promise<ConsolePage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${url}${path}`);
  return {
    page,
    hosts,
    complaints,
    says: async (text) => {
      await page.waitForSelector(`#status:has-text(${JSON.stringify(text)})`);
    },
    run: async (query) => {
      await setEditor(page, query);
      await page.click('.graphiql-execute-button');
    },
    answers: async (text) => {
      await page.waitForSelector(`.result-window:has-text(${JSON.stringify(text)})`);
    },
    close: () => context.close(),
  };
}

/** Typing would close brackets and complete names. */
function setEditor(page: Page, query: string): Promise<void> {
  return page.locator('.graphiql-query-editor .CodeMirror').evaluate((element, text) => {
    (element as unknown as { CodeMirror: { setValue(text: string): void } }).CodeMirror.setValue(text);
  }, query);
}
