/** Part of `npm run build`: writes dist/workflow-bundle.js, as the worker loads it. */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../temporal/bundle.ts';

const bundle = new URL('../../workflow-bundle.js', import.meta.url);
const unfinished = new URL(`../../workflow-bundle.${process.pid}.js`, import.meta.url);
const entry = fileURLToPath(new URL('../../workflows/index.js', import.meta.url));
await writeFile(unfinished, await bundleWorkflows(entry));
await rename(unfinished, bundle);
