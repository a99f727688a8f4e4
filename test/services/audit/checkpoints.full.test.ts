/** Checkpoints are signed by a key outside the database, and can be verified with its public key alone. */
import { expect, test } from '@jest/globals';
import { listCheckpoints, listSigningKeys } from '../../../src/data/audit/checkpoints.ts';
import { checkpointBytes } from '../../../src/domain/audit/checkpoints.ts';
import {
  openSigningKey,
  publicKeyOf,
  verifierOf,
} from '../../../src/platform/crypto/signing-key.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { AUDIT_KEY, chainOf, minutesAhead, record } from './audit-scene.ts';

const app = await appForFile({ environment: AUDIT_KEY });
const { db, context } = app;

const checkpointsOf = async (organizationId: string) =>
  await listCheckpoints(db, organizationId, { before: undefined, limit: 100 });

test('the first entries are signed at once, later ones after a minute, and nothing twice', async () => {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 2 });
  await sealAll(context);
  const positions = async () => (await checkpointsOf(id)).map(({ position }) => position);
  expect(await positions()).toEqual([2]);
  await record(db, id, { count: 3 });
  await sealAll(context);
  expect(await positions()).toEqual([2]);
  await sealAll(context, { floor: minutesAhead(1) });
  expect(await positions()).toEqual([5, 2]);
  await sealAll(context, { floor: minutesAhead(3) });
  expect(await positions()).toEqual([5, 2]);
});

test('every 10,000 entries are signed, whenever they come', async () => {
  const { id } = await createOrganization(app);
  await record(db, id);
  await sealAll(context);
  await record(db, id, { count: 10_500 });
  await sealAll(context);
  expect((await checkpointsOf(id)).map(({ position }) => position)).toEqual([10_001, 1]);
});

test('a checkpoint has the hash of its entry, and the public key that is kept verifies it', async () => {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 2 });
  await sealAll(context);
  const [checkpoint] = await checkpointsOf(id);
  if (!checkpoint) throw new Error('no checkpoint');
  expect(checkpoint.hash.toString('hex')).toBe((await chainOf(db, id))[1]?.hash);
  const [key] = await listSigningKeys(db);
  if (!key) throw new Error('no key');
  const own = openSigningKey(AUDIT_KEY.COUNTERSIGN_AUDIT_KEY);
  expect([key.id, checkpoint.keyId]).toEqual([own?.id, own?.id]);
  expect(
    verifierOf(publicKeyOf(key.publicKey))(checkpointBytes(checkpoint), checkpoint.signature),
  ).toBe(true);
});

test('without a key nothing is signed, and a key that comes later signs what waited', async () => {
  const { id } = await createOrganization(app);
  await record(db, id, { count: 2 });
  await sealAll({ ...context, auditKey: undefined });
  await record(db, id, { count: 2 });
  await sealAll({ ...context, auditKey: undefined });
  expect(await chainOf(db, id)).toHaveLength(4);
  expect(await checkpointsOf(id)).toEqual([]);
  await sealAll(context);
  expect((await checkpointsOf(id)).map(({ position }) => position)).toEqual([4]);
});
