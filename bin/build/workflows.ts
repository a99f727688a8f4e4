/** Part of `npm run build`: writes dist/workflow-bundle.js, as the worker loads it. */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/platform/package-root.ts';
import { bundleWorkflows } from '../../temporal/bundle.ts';

const SOURCE_MAP = /(?<=sourceMappingURL=data:application\/json;charset=utf-8;base64,)\S+/;

/** The worker needs the map in the bundle. Paths in it begin at the package, wherever it was built. */
function withoutRoot(code: string): string {
  return code.replace(SOURCE_MAP, (map) =>
    Buffer.from(Buffer.from(map, 'base64').toString().replaceAll(`${packageRoot()}/`, '')).toString(
      'base64',
    ),
  );
}

const bundle = new URL('../../workflow-bundle.js', import.meta.url);
const unfinished = new URL(`../../workflow-bundle.${process.pid}.js`, import.meta.url);
const entry = fileURLToPath(new URL('../../workflows/index.js', import.meta.url));
await writeFile(unfinished, withoutRoot(await bundleWorkflows(entry)));
await rename(unfinished, bundle);
