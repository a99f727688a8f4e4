/** Checks the workflows with actionlint. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, URL } from 'node:url';
import { goTool, notChecked } from './go-tool.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { path, why } = goTool('actionlint');
if (path === undefined) notChecked('The workflows', why);
else process.exitCode = spawnSync(path, { cwd: root, stdio: 'inherit' }).status ?? 1;
