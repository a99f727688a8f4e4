/** Bundles `countersign-hook` into one file without dependencies: sdk/hook/dist, or the folder that is given. */
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'sdk/hook/dist');
const file = join(folder, 'countersign-hook.js');

const bundle = await rolldown({
  input: join(root, 'sdk/hook/src/main.ts'),
  platform: 'node',
  // The main file of jsonc-parser cannot be bundled.
  resolve: { mainFields: ['module', 'main'] },
  logLevel: 'warn',
});
await bundle.write({ file, format: 'esm', codeSplitting: false, banner: '#!/usr/bin/env node' });
await bundle.close();
chmodSync(file, 0o755);
copyFileSync(
  join(root, 'node_modules/jsonc-parser/LICENSE.md'),
  join(folder, 'LICENSE-jsonc-parser.md'),
);
