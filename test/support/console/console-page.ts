import { type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { openContext } from './browser.js';

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** How the console is opened. */
export interface Opening {
  /** What follows the address of the service. */
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** The console, open in a browser. */
export interface ConsolePage {
  readonly page: Page;
  /** Hosts that were asked for anything. */
  readonly hosts: ReadonlySet<string>;
  /** What the browser complained of: errors of scripts, and what the policy of the page refused. */
  readonly complaints: readonly string[];
  /** Waits until the line of the page says this. */
  says(text: string): Promise<void>;
  /** Clicks a login of the demo's list. */
  clickDemo(name: string): Promise<void>;
  /** Puts a document into the editor and runs it. */
  run(query: string): Promise<void>;
  /** Waits until the result has this. */
  answers(text: string): Promise<void>;
  /** Opens it again, as for somebody who has never been here: nothing is kept but the browser's cache. */
  startOver(opening?: Opening): Promise<void>;
  close(): Promise<void>;
}

/** @returns the console in a browser context of its own; `startOver` opens it. */
export async function openConsole(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await openContext(browser, { viewport: WIDE, ...options });
  const page = await context.newPage();
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    page,
    hosts,
    complaints,
    says: async (text) => {
      await page.waitForSelector(`#status:has-text(${JSON.stringify(text)})`);
    },
    clickDemo: (name) => page.click(`#demo-list button:has(strong:text-is("${name}"))`),
    run: async (query) => {
      await setEditor(page, query);
      await page.click('.graphiql-execute-button');
    },
    answers: async (text) => {
      await page.waitForSelector(`.result-window:has-text(${JSON.stringify(text)})`);
    },
    startOver: async ({ path = '/', colorScheme = 'light', viewport = WIDE } = {}) => {
      await forget(context, page, url);
      hosts.clear();
      complaints.length = 0;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.goto(`${url}${path}`);
    },
    close: () => context.close(),
  };
}

/** Of the page first: what it writes when it is left must be gone as well. */
async function forget(context: BrowserContext, page: Page, url: string): Promise<void> {
  await context.setOffline(false);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.goto('about:blank');
  const devTools = await context.newCDPSession(page);
  await devTools.send('Storage.clearDataForOrigin', {
    origin: new URL(url).origin,
    storageTypes: 'cookies,local_storage',
  });
  await devTools.detach();
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
