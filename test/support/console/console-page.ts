import { eventually } from '../eventually.js';
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

interface Editor {
  setValue(text: string): void;
  readonly documentAST?: { readonly loc?: { readonly source: { readonly body: string } } };
}

/** Typing would close brackets and complete names. The editor reads what it is given a moment later. */
async function setEditor(page: Page, query: string): Promise<void> {
  const editor = page.locator('.graphiql-query-editor .CodeMirror');
  await editor.evaluate((element, text) => {
    (element as unknown as { CodeMirror: Editor }).CodeMirror.setValue(text);
  }, query);
  await eventually(async () => {
    const read = await editor.evaluate(
      (element) => (element as unknown as { CodeMirror: Editor }).CodeMirror.documentAST?.loc?.source.body,
    );
    return read === query;
  });
}
