/**
 * Takes the pictures of the console and of the example page that the documentation shows, in a real browser over the
 * running service.
 *
 *   npm run pictures
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/images');
const example = join(root, 'examples/page');
const QUALITY = 82;
const MOST_BYTES = 200_000;
const WIDE = { width: 1280, height: 760 };
const NARROW = { width: 390, height: 760 };
const PREVIEW = `
  import { preview } from 'vite';
  const server = await preview({ preview: { host: '127.0.0.1', port: 0 }, logLevel: 'error' });
  console.log('http://127.0.0.1:' + server.httpServer.address().port + '/');`;

const folder = mkdtempSync(join(tmpdir(), 'portico-pictures-'));
const processes = [];
try {
  await takeAll();
} finally {
  for (const child of processes) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function takeAll() {
  const service = await started(
    [join(root, 'dist/main.js')],
    { cwd: folder, PORT: '0' },
    /(http:\/\/\S+)\/graphql/,
  );
  for (const [tool, ...args] of [
    ['gql.tada', 'generate-output'],
    ['vite', 'build'],
  ]) {
    await ended(join(example, 'node_modules/.bin', tool), args);
  }
  const page = await started(
    ['--input-type=module', '--eval', PREVIEW],
    { cwd: example, PORTICO_URL: service },
    /(http:\S+)\//,
  );
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    existsSync,
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  mkdirSync(target, { recursive: true });
  let bytes = 0;
  for (const [name, options, show] of [
    ['console-light', { colorScheme: 'light', viewport: WIDE }, (tab) => showConsole(tab, service)],
    ['console-dark', { colorScheme: 'dark', viewport: WIDE }, (tab) => showConsole(tab, service)],
    ['console-narrow', { colorScheme: 'dark', viewport: NARROW }, (tab) => showConsole(tab, service)],
    ['example-page', { colorScheme: 'light', viewport: WIDE }, (tab) => showExample(tab, page)],
    ['example-page-narrow', { colorScheme: 'light', viewport: NARROW }, (tab) => showExample(tab, page)],
  ]) {
    const context = await browser.newContext(options);
    bytes += await take(await context.newPage(), name, show);
    await context.close();
  }
  await browser.close();
  console.log(`${bytes} bytes in all`);
  if (bytes > MOST_BYTES) throw new Error(`More than ${MOST_BYTES} bytes of pictures`);
}

async function take(tab, name, show) {
  await show(tab);
  // Wherever it was clicked last, nothing is to look pressed.
  await tab.mouse.move(0, 0);
  const devTools = await tab.context().newCDPSession(tab);
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const picture = Buffer.from(data, 'base64');
  writeFileSync(join(target, `${name}.webp`), picture);
  console.log(`${name}.webp: ${picture.length} bytes`);
  return picture.length;
}

async function showConsole(tab, url) {
  await tab.goto(url);
  await tab.click('#demo-list button');
  await tab.waitForSelector('.project');
  await tab.click('.graphiql-execute-button');
  await tab.waitForSelector('.result-window:has-text("Retail Sales")');
  await tab.waitForSelector('#remaining:text-matches("^29:5")');
  await tab.evaluate(() => globalThis.scrollTo(0, 0));
}

async function showExample(tab, url) {
  await tab.goto(url);
  await tab.fill('[name=username]', 'demo');
  await tab.fill('[name=password]', 'demo');
  await tab.click('text="Log in"');
  await tab.waitForSelector('.cards li');
  await tab.waitForSelector('.clock:text-matches("^29:5")');
}

/** Starts a program and waits until it says where it is. */
function started(args, { cwd, ...environment }, address) {
  const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env.PATH, ...environment } });
  processes.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = address.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr.pipe(process.stderr);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
}

function ended(file, args) {
  const child = spawn(file, args, { cwd: example, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))));
  });
}
