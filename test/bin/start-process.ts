/**
 * `countersign start` from the sources. The argument is the path of the workflow bundle, the rest
 * is the environment.
 */
import { start } from '../../bin/start.ts';
import { loadConfig } from '../../src/platform/config.ts';

const [codePath = ''] = process.argv.slice(2);
const startedByNpm = process.env['npm_lifecycle_event'] !== undefined;
process.exit(
  await start(loadConfig(process.env, 'start'), { startedByNpm, workflowBundle: { codePath } }),
);
