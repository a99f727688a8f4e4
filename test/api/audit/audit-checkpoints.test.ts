/** The checkpoints of the audit log, and the keys that verify them. */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { keptCheckpointsFrom, readCheckpoint } from '../../../src/domain/audit/export-lines.ts';
import { checkpointBytes } from '../../../src/domain/audit/checkpoints.ts';
import {
  openSigningKey,
  readPublicKey,
  verifierOf,
} from '../../../src/platform/crypto/signing-key.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { appForFile, everywhere, scene } from '../../support/scene.ts';
import { createMember, createOrganization } from '../../support/scene/factories.ts';
import type { Json } from '../../support/http.ts';
import { AUDIT_KEY, record } from '../../services/audit/audit-scene.ts';

const { app, organization, owner, people } = await scene({
  app: { environment: { ...AUDIT_KEY, COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: ['audit.read'] },
});
const open = await appForFile({ environment: AUDIT_KEY });
const ada = people.ada.http;
const KEYS = '/.well-known/countersign-audit-keys';

const first = openSigningKey(AUDIT_KEY.COUNTERSIGN_AUDIT_KEY);
const second = openSigningKey(randomBytes(32).toString('base64'));
for (const auditKey of [first, second, second]) {
  await record(app.db, organization.id, { count: 10_000 });
  await sealAll({ ...app.context, auditKey });
}

interface Published {
  readonly keys: readonly { readonly key_id: string; readonly public_key: string }[];
}

/** Does its own reading of the response, as another program would. */
function isSigned(checkpoint: Json | undefined, { keys }: Published): boolean {
  const read = readCheckpoint(checkpoint);
  const signer = keys.find(({ key_id: id }) => id === read?.keyId);
  const key = readPublicKey(signer?.public_key ?? '');
  return read && key ? verifierOf(key)(checkpointBytes(read), read.signature) : false;
}

test('checkpoints come newest first, page by page, and the published keys verify them', async () => {
  const one = await ada.get('/api/v1/audit/checkpoints?limit=2');
  const next = String(one.body['next_cursor']);
  const two = await ada.get(`/api/v1/audit/checkpoints?limit=2&cursor=${next}`);
  const all = [...(one.body['checkpoints'] ?? []), ...(two.body['checkpoints'] ?? [])];
  const positions = all.map(({ position }) => Number(position));
  expect(positions).toEqual([...positions].sort((a, b) => b - a));
  expect(positions.length).toBeGreaterThanOrEqual(3);
  expect(two.body['next_cursor']).toBeUndefined();
  const published = JSON.parse((await app.http.get(KEYS)).text) as Published;
  expect(published.keys.map(({ key_id: id }) => id)).toEqual([first?.id, second?.id]);
  for (const checkpoint of all) expect(isSigned(checkpoint, published)).toBe(true);
});

test('a cursor of another list is refused', async () => {
  const cursor = Buffer.from(JSON.stringify(['requests', 3])).toString('base64url');
  const { status, body } = await ada.get(`/api/v1/audit/checkpoints?cursor=${cursor}`);
  expect([status, body['error']?.['code']]).toEqual([400, 'validation_failed']);
});

test('the open edition publishes its keys, also one that has signed nothing yet, and anyone may read them', async () => {
  const { status, body } = await open.http.get(KEYS);
  expect([status, body['keys']]).toEqual([
    200,
    [
      {
        key_id: first?.id,
        algorithm: 'Ed25519',
        public_key: first?.publicKey.toString('base64'),
        first_used_at: null,
      },
    ],
  ]);
});

test('an owner downloads the newest checkpoint in both editions, and others do not', async () => {
  const newest = await owner.http.get('/api/v1/audit/checkpoint');
  expect(newest.headers['content-disposition']).toMatch(
    /^attachment; filename="checkpoint-\d+\.json"$/,
  );
  const published = JSON.parse((await app.http.get(KEYS)).text) as Published;
  expect(
    isSigned((JSON.parse(newest.text) as { readonly checkpoint: Json }).checkpoint, published),
  ).toBe(true);
  expect(keptCheckpointsFrom(newest.text)).toHaveLength(1);
  expect((await ada.get('/api/v1/audit/checkpoint')).status).toBe(403);
  const elsewhere = await createOrganization(open);
  const admin = await createMember(open, elsewhere.id, {
    policies: [everywhere('organization.settings.write')],
  });
  expect((await admin.http.get('/api/v1/audit/checkpoint')).status).toBe(404);
  await record(open.db, elsewhere.id);
  await sealAll(open.context);
  expect((await admin.http.get('/api/v1/audit/checkpoint')).status).toBe(200);
});
