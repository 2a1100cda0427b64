// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The server of `clearance view`, asked as an attacker would, and the verb itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeFolder, program, repository, run, serve, serveVerb, skipped, stopServers } from './support.mjs';

const folder = makeFolder();
run(folder, 'generate', 'pipe', '-o', 'pipe.stl', '--triangles', '2000');
writeFileSync(join(folder, 'secret.txt'), 'nobody may read this');
const probe = spawnSync(program, ['view', 'pipe.stl', '--export', 'probe.html'], { cwd: folder, encoding: 'utf8' });
if (/built without the viewer/.test(probe.stderr)) {
  console.log('skipped: the program was built without the viewer');
  process.exit(skipped);
}
after(stopServers);

/** Sends bytes as they are: what fetch() would tidy up goes through. */
function ask(port, path, host = `127.0.0.1:${port}`, method = 'GET') {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    const chunks = [];
    socket.on('data', (data) => chunks.push(data));
    socket.on('error', reject);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text });
    });
  });
}
const fail = (...args) => spawnSync(program, ['view', ...args], { cwd: folder, encoding: 'utf8' });

test('serves the page, the bundle and the documents, and nothing else', async () => {
  const server = await serve(folder, 'pipe.stl');
  const port = Number(new URL(server.address).port);
  for (const path of ['/', '/viewer.js', '/viewer.css', '/documents.json', '/document/0.json', '/document/0.bin'])
    assert.equal((await ask(port, path)).status, 200, path);
  for (const path of [
    '/secret.txt', '/pipe.stl', '/../secret.txt', '/document/../../secret.txt', '/document/0.json/../../secret.txt',
    '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%2e%2e%2f%2e%2e%2fetc/passwd', '//etc/passwd', '/etc/passwd',
    '/document/1.json', '/document/-1.json', '/document/99999999999999999999999.json', '/document/0x0.json', '/document/',
    '/viewer.js%00.txt', '/\\..\\secret.txt', '/document/0.bin%2f..%2f..%2fsecret.txt',
  ]) {
    const answer = await ask(port, path);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
    assert.ok(!/nobody may|root:/.test(answer.text), path);
  }
  for (const method of ['POST', 'PUT', 'DELETE']) assert.ok((await ask(port, '/', undefined, method)).status >= 400, method);
  assert.equal(await server.stop(), 0);
});

test('answers only to its own name, so that no other site can read through it', async () => {
  const server = await serve(folder, 'pipe.stl');
  const port = Number(new URL(server.address).port);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', '', `127.0.0.1:${port}.evil.example`]) {
    const answer = await ask(port, '/document/0.json', host);
    assert.ok([400, 403].includes(answer.status), `${host}: ${answer.status}`);
  }
  assert.equal((await ask(port, '/', `localhost:${port}`)).status, 200);
  const page = await ask(port, '/');
  assert.match(page.text, /Content-Security-Policy: default-src 'none'/);
  assert.doesNotMatch(page.text, /Access-Control-Allow-Origin/);
  await server.stop();
});

test('listens on loopback alone', async () => {
  const server = await serve(folder, 'pipe.stl');
  const port = Number(new URL(server.address).port);
  const others = Object.values(os.networkInterfaces()).flat().filter((entry) => !entry.internal && entry.family === 'IPv4');
  for (const { address } of others) {
    const refused = await new Promise((resolve) => {
      const socket = net.connect(port, address, () => resolve(false));
      socket.on('error', () => resolve(true));
    });
    assert.ok(refused, address);
  }
  await server.stop();
});

test('ends with Ctrl-C, with a page open', async () => {
  const server = await serve(folder, 'pipe.stl');
  const port = Number(new URL(server.address).port);
  const open = net.connect(port, '127.0.0.1');
  open.on('error', () => undefined);
  await new Promise((resolve) => open.on('connect', resolve));
  assert.equal(await server.stop(), 0);
  open.destroy();
});

test('opens the browser where there is a screen, and does not wait for it', async () => {
  // A browser in the foreground, as xdg-open starts it where there is no desktop.
  const seen = join(folder, 'opened.txt');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/xdg-open'), `#!/bin/sh\necho "$1" >"${seen}"\nexec sleep 20\n`, { mode: 0o755 });
  const environment = { ...process.env, DISPLAY: ':7', PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const server = await serveVerb(folder, ['view', 'pipe.stl'], environment);
  while (!existsSync(seen) || readFileSync(seen, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(readFileSync(seen, 'utf8').trim(), server.address);
  assert.equal(await server.stop(), 0);
});

test('refuses what is no result, with words and status 2', () => {
  const written = (name, text) => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  for (const [name, words] of [
    ['missing.json', /missing\.json/],
    [written('text.json', 'hello'), /not JSON/],
    [written('list.json', '[1, 2]'), /no "schema"/],
    [written('other.json', '{"schema": "somebody.else", "version": 1}'), /no view.*clash/],
    [written('old.json', '{"schema": "clearance.clash", "version": 0}'), /version 0.*run the verb again/],
    [written('new.json', '{"schema": "clearance.clash", "version": 2}'), /newer clearance/],
    [written('bare.json', '{"schema": "clearance.clash", "version": 1}'), /does not hold/],
    [written('noversion.json', '{"schema": "clearance.clash"}'), /version null/],
    [written('broken.stl', 'solid'), /broken\.stl/],
  ]) {
    const done = fail(name, '--export', 'never.html');
    assert.equal(done.status, 2, name);
    assert.match(done.stderr, words, name);
  }
  assert.ok(!existsSync(join(folder, 'never.html')));
});

test('a port that is taken is told of', async () => {
  const server = await serve(folder, 'pipe.stl');
  const done = fail('pipe.stl', '--no-browser', '--port', new URL(server.address).port);
  assert.equal(done.status, 2);
  assert.match(done.stderr, /cannot be listened on/);
  await server.stop();
});

test('an exported page holds its documents, names no address and escapes what names hold', () => {
  run(folder, 'generate', 'pipe', '-o', 'a<script>b.stl', '--triangles', '2000');
  run(folder, 'view', 'a<script>b.stl', '--export', 'page.html');
  const page = readFileSync(join(folder, 'page.html'), 'utf8');
  assert.doesNotMatch(page.replace(/<script>\n[\s\S]*?<\/script>/, ''), /a<script>b/);
  assert.match(page, /a\\u003cscript>b/);
  assert.match(page, /Content-Security-Policy/);
  assert.doesNotMatch(page, /<(script|link|img)[^>]+(src|href)="(?!data:)/);
});

test('the bundle is below its limit', () => {
  const bundle = ['viewer.js', 'viewer.css'].map((name) => join(program, '../../viewer', name)).filter(existsSync);
  const bytes = bundle.reduce((sum, path) => sum + readFileSync(path).length, 0);
  assert.ok(bytes < 1_500_000, String(bytes));
  assert.ok(existsSync(join(repository, 'viewer/package-lock.json')));
  assert.doesNotMatch(readFileSync(join(repository, 'viewer/package-lock.json'), 'utf8'), /https?:\/\//);
});
