/**
 * `npm run record-histories` runs every shape on real servers, in real time, and saves the histories as replay fixtures. Run
 * it only when a history is meant to change: each change restarts open workflows after a release.
 */
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { startApp } from '../support/app.ts';
import globalSetup from '../support/run/global-setup.ts';
import globalTeardown from '../support/run/global-teardown.ts';
import { handleOf } from '../support/temporal.ts';
import { historyText } from './histories.ts';
import { setStage, SHAPES } from './shapes.ts';

await globalSetup();
const app = await startApp({ temporal: true });
try {
  const stage = await setStage(app);
  for (const [shape, live] of Object.entries(SHAPES)) {
    const id = await live(stage);
    const text = historyText(await handleOf(app, id).fetchHistory());
    if (text.includes(hostname())) throw new Error(`the history of ${shape} names this machine`);
    writeFileSync(new URL(`../histories/${shape}.json`, import.meta.url), text);
    process.stdout.write(`${shape}\n`);
  }
} finally {
  await app.close();
  await globalTeardown();
}
process.exit(0);
