import { afterAll, beforeAll } from 'vitest';
import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { startApp, type TestApp } from '../app/start-app.js';
import { startBrowser } from './browser.js';
import { type ConsolePage, openConsole, type Opening } from './console-page.js';

/** One service and one browser for all tests of a file. */
export interface ConsoleFixture {
  readonly service: TestApp;
  readonly browser: Browser;
  /** The one console that the tests share, which starts over: much quicker than a browser context of its own. */
  open(opening?: Opening): Promise<ConsolePage>;
  /** A console that shares nothing with the others, for what would outlast a test. */
  openApart(options?: BrowserContextOptions): Promise<ConsolePage>;
}

/** @param settings of the service, asked for before it starts. */
export function useConsole(settings: () => Record<string, string> = () => ({})): ConsoleFixture {
  let service: TestApp;
  let browser: Browser;
  let shared: ConsolePage | undefined;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startApp(settings()), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
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
