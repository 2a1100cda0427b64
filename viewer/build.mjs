// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles the viewer: node build.mjs FOLDER writes FOLDER/viewer.js and FOLDER/viewer.css. Refuses a
// bundle above its limit: it goes into every exported page.
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const largestBundle = 1_500_000;
const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'dist');

await build({
  absWorkingDir: here,
  entryPoints: [{ in: 'src/main.ts', out: 'viewer' }],
  outdir: output,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'inline',
  // A "</script" inside the script would end it on an exported page.
  supported: { 'inline-script': false },
  logLevel: 'warning',
});
const bytes = ['viewer.js', 'viewer.css'].map((name) => statSync(join(output, name)).size).reduce((a, b) => a + b);
if (bytes > largestBundle) {
  console.error(`the bundle has ${bytes} bytes, and may have ${largestBundle}`);
  process.exit(1);
}
