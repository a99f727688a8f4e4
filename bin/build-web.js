/** Builds the web app into dist/web, unless nothing it is made of has changed since. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'dist/web/.stamp');

function stampNow() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const folder of ['web', 'src/platform/json', 'src/domain'])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        hash
          .update(`${join(entry.parentPath, entry.name)}\n`)
          .update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex');
}

function lastStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return '';
  }
}

const stamp = stampNow();
if (stamp !== lastStamp()) {
  // Tests set another one, and React would bring its development build.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn' });
  writeFileSync(stampFile, stamp);
}
