/** `countersign start` from the sources: the path of the workflow bundle is the argument, the rest is the environment. */
import { composeApp } from '../../bin/compose.ts';
import { start } from '../../bin/start.ts';
import { loadConfig } from '../../src/platform/config.ts';

const [codePath = ''] = process.argv.slice(2);
const compose: Parameters<typeof start>[1] = (config, parts) => composeApp(config, { ...parts, workflowBundle: { codePath } });
process.exit(await start(loadConfig(process.env, 'start'), compose, process.env['npm_lifecycle_event'] !== undefined));
