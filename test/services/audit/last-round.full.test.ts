/** A process that stops seals and signs what is left, so that no event waits for the next one. */
import { expect, test } from '@jest/globals';
import { listCheckpoints } from '../../../src/data/audit/checkpoints.ts';
import { startApp } from '../../support/app.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';
import { AUDIT_KEY, chainOf, record } from './audit-scene.ts';

const { db, databaseUrl, ...app } = await appForFile({ environment: AUDIT_KEY });

test('a graceful stop signs what would wait for its minute', async () => {
  const { id } = await createOrganization({ db, databaseUrl, ...app });
  const positions = async () =>
    (await listCheckpoints(db, id, { before: undefined, limit: 10 })).map(
      ({ position }) => position,
    );
  const stopping = await startApp({ databaseUrl, worker: true, environment: AUDIT_KEY });
  await record(db, id);
  await until('the first checkpoint', async () => (await positions()).length === 1);
  await record(db, id, { count: 3 });
  await stopping.close();
  expect(await chainOf(db, id)).toHaveLength(4);
  expect(await positions()).toEqual([4, 1]);
});
