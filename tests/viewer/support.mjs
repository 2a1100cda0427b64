// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of the viewer share: the program, a browser, and a look at screenshots.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const program = process.env.CLEARANCE_PROGRAM ?? join(repository, 'build/dev/cli/clearance');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const require = createRequire(join(repository, 'viewer', 'package.json'));

/** ctest counts this exit status as "skipped". */
export const skipped = 77;

/** Ends the test with a reason when what it needs is not installed. */
export function needBrowser() {
  for (const [there, words] of [
    [chromium !== undefined, 'chromium is not installed'],
    [existsSync(join(repository, 'viewer/node_modules/playwright-core')), 'viewer/node_modules is not there (npm ci)'],
  ]) {
    if (!there) {
      console.log(`skipped: ${words}`);
      process.exit(skipped);
    }
  }
}

export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'clearance-viewer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the program; contact and the like are answers (status 1), not failures. Returns what it said. */
export function run(folder, ...args) {
  const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (done.status === null || done.status > 1) throw new Error(`clearance ${args.join(' ')}: ${done.status} ${done.stderr}`);
  return done.stdout;
}

/** Runs the program and keeps its --json result in a file. */
export function runJson(folder, name, ...args) {
  writeFileSync(join(folder, name), run(folder, ...args, '--json'));
  return name;
}

const children = new Set();
/** Ends servers that a failed test left behind: they would keep this process alive. */
export function stopServers() {
  for (const child of children) child.kill('SIGKILL');
}

/** `clearance view` in the background: its address, and what ends it. */
export function serve(folder, ...args) {
  return serveVerb(folder, ['view', '--no-browser', ...args]);
}

const withoutScreen = { ...process.env, DISPLAY: undefined, WAYLAND_DISPLAY: undefined };

/** Any verb that serves a page, in the background. */
export async function serveVerb(folder, args, env = withoutScreen) {
  const child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], env });
  children.add(child);
  child.on('exit', () => children.delete(child));
  let words = '';
  const address = await new Promise((resolve, reject) => {
    let text = '';
    const look = (data) => {
      // Answers of a stream go by unread.
      if (text.length < 10_000) text += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', (data) => {
      words += data;
      look(data);
    });
    child.on('exit', (status) => reject(new Error(`clearance ${args[0]} ended with ${status}: ${words}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', (status) => resolve(status)));
  return {
    address,
    child,
    words: () => words,
    /** Ctrl-C; resolves to the exit status. */
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** A headless browser that draws in software and talks to nobody but the page. */
export async function openBrowser() {
  const playwright = require('playwright-core');
  return playwright.chromium.launch({
    executablePath: chromium,
    args: [
      '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
}

/** A page that remembers every error and every request that left it. */
export async function openPage(browser, options = {}) {
  const page = await browser.newPage({
    // Small: every pixel is drawn in software.
    viewport: process.env.CLEARANCE_SCREENSHOTS ? { width: 1280, height: 800 } : { width: 900, height: 560 },
    reducedMotion: 'reduce',
    ...options,
  });
  // Patient: software drawing on a busy machine.
  page.setDefaultTimeout(240_000);
  const errors = [];
  const requests = [];
  page.on('console', (message) => {
    // What the software renderer says about its own speed is no error of the page.
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|swiftshader|software/i.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, errors, requests };
}

export async function waitUntilReady(page) {
  // By selector: the page's policy forbids the evaluation that waiting for a function needs.
  await page.waitForSelector('body[data-state=ready], body[data-state=failed]', { timeout: 240_000 });
  return page.evaluate(() => document.body.dataset.state);
}

let helper;
/** How a picture of the view looks: distinct colours, and the share of the most frequent one. */
export async function lookAt(page) {
  const box = await page.locator('.stage canvas').boundingBox();
  const png = await page.screenshot({ clip: box });
  helper ??= await page.context().browser().newPage();
  return helper.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      // The background is a gradient from top to bottom: what differs from the first pixel of its row is drawn.
      let drawn = 0;
      let hash = 0;
      const colours = new Set();
      for (let y = 0; y < bitmap.height; ++y) {
        const first = 4 * y * bitmap.width + 4;
        for (let x = 0; x < bitmap.width; x += 2) {
          const i = 4 * (y * bitmap.width + x);
          const difference = Math.abs(data[i] - data[first]) + Math.abs(data[i + 1] - data[first + 1]) + Math.abs(data[i + 2] - data[first + 2]);
          if (difference > 24) ++drawn;
          colours.add((data[i] >> 3) * 1024 + (data[i + 1] >> 3) * 32 + (data[i + 2] >> 3));
          hash = (Math.imul(hash, 31) + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) | 0;
        }
      }
      return { drawn: (2 * drawn) / (bitmap.width * bitmap.height), colours: colours.size, hash };
  }, png.toString('base64'));
}

/** Bundles a source file of the viewer so that node can import it. */
export async function importSource(folder, name) {
  const output = join(folder, `${name}.mjs`);
  await require('esbuild').build({
    entryPoints: [join(repository, 'viewer/src', `${name}.ts`)],
    outfile: output,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return import(output);
}
