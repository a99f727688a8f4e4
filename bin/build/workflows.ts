/**
 * Part of `npm run build`: writes dist/workflow-bundle.js, unless it is newer than all its sources.
 */
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../temporal/bundle.ts';

const dist = new URL('../../', import.meta.url);
const bundle = new URL('workflow-bundle.js', dist);

async function newest(directory: URL): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  return Math.max(...(await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs))));
}

const built = await stat(bundle).then(
  ({ mtimeMs }) => mtimeMs,
  () => 0,
);
if (
  built <
  Math.max(await newest(new URL('workflows/', dist)), await newest(new URL('src/domain/', dist)))
) {
  const temporary = new URL(`workflow-bundle.${process.pid}.js`, dist);
  await writeFile(
    temporary,
    await bundleWorkflows(fileURLToPath(new URL('workflows/index.js', dist))),
  );
  await rename(temporary, bundle);
}
