// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The viewer's sources as the TypeScript compiler sees them, in its strict mode.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository, skipped } from './support.mjs';

const compiler = join(repository, 'viewer/node_modules/typescript/bin/tsc');
if (!existsSync(compiler)) {
  console.log('skipped: viewer/node_modules is not there (npm ci)');
  process.exit(skipped);
}
const done = spawnSync(process.execPath, [compiler, '--noEmit'], { cwd: join(repository, 'viewer'), stdio: 'inherit' });
process.exit(done.status ?? 1);
