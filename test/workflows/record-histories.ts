/**
 * `npm run record-histories` runs every shape on real servers, in real time, and saves the histories as replay fixtures. Run
 * it only when a history is meant to change: each change restarts open workflows after a release. `SHAPE` names a single one.
 */
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.ts';
import { startApp } from '../support/app.ts';
import globalSetup from '../support/run/global-setup.ts';
import globalTeardown from '../support/run/global-teardown.ts';
import { ASKING } from '../support/servers/asked-endpoint.ts';
import { handleOf } from '../support/temporal.ts';
import { historyText } from './histories.ts';
import { setStage, SHAPES } from './shapes.ts';

await globalSetup();
const { SHAPE: only } = process.env;
const app = await startApp({ temporal: true, environment: ASKING });
try {
  const stage = await setStage(app);
  for (const [shape, live] of Object.entries(SHAPES)) {
    if (only !== undefined && only !== shape) continue;
    const id = await live(stage);
    const text = historyText(await handleOf(app, id).fetchHistory());
    if (text.includes(hostname())) throw new Error(`the history of ${shape} names this machine`);
    writeFileSync(join(packageRoot(), `test/histories/${shape}.json`), text);
    process.stdout.write(`${shape}\n`);
  }
  await stage.endpoint.close();
} finally {
  await app.close();
  await globalTeardown();
}
process.exit(0);
