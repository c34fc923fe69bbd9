import { afterAll, beforeAll } from 'vitest';
import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { runService, type RunningService, stopServices } from '../app/run-service.js';
import { tempFolder } from '../temp-folder.js';
import { startBrowser } from './browser.js';
import { type ConsolePage, openConsole, type Opening } from './console-page.js';

/** One built service and one browser for all tests of a file. */
export interface ConsoleFixture {
  readonly service: RunningService;
  readonly browser: Browser;
  /** The one console that the tests share, which starts over: much quicker than a browser context of its own. */
  open(opening?: Opening): Promise<ConsolePage>;
  /** A console that shares nothing with the others, for what would outlast a test. */
  openApart(options?: BrowserContextOptions): Promise<ConsolePage>;
}

/** @param settings of the service, asked for before it starts. */
export function useConsole(settings: () => Record<string, string> = () => ({})): ConsoleFixture {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  let browser: Browser;
  let shared: ConsolePage | undefined;
  beforeAll(async () => {
    folder = await tempFolder();
    [service, browser] = await Promise.all([runService(folder.path, settings()), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await stopServices();
    await folder.remove();
  });
  return {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    open: async (opening) => {
      shared ??= await openConsole(browser, service.url, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await shared.startOver(opening);
      return shared;
    },
    openApart: async (options) => {
      const console = await openConsole(browser, service.url, options);
      await console.page.goto(service.url);
      return console;
    },
  };
}
