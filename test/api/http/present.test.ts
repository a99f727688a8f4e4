/** What an answer made from a schema holds, and what it never does. */
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { present } from '../../../api/http/present.ts';

const keySchema = z
  .strictObject({
    id: z.string(),
    created_by_actor_id: z.string(),
    expires_at: z.date().nullable(),
    revoked_at: z.date().optional(),
    team_ids: z.array(z.string()),
  })
  .meta({ id: 'Key' });

interface Key {
  readonly id: string;
  readonly tokenHash: string;
  readonly createdByActorId: string;
  readonly expiresAt: Date | null;
  readonly revokedAt?: Date | null;
  readonly teamIds: readonly string[];
}

const key: Key = {
  id: 'key',
  tokenHash: 'a secret',
  createdByActorId: 'ada',
  expiresAt: null,
  teamIds: ['night'],
};

test('an answer has the members of its schema and no other', () => {
  expect(present(keySchema, key)).toEqual({
    id: 'key',
    created_by_actor_id: 'ada',
    expires_at: null,
    team_ids: ['night'],
  });
});

test('null is kept where the schema allows it, and absent where a member is optional', () => {
  const revokedAt = new Date(0);
  expect(present(keySchema, { ...key, revokedAt: null })).not.toHaveProperty('revoked_at');
  expect(present(keySchema, { ...key, revokedAt })).toHaveProperty('revoked_at', revokedAt);
  expect(present(keySchema, key)).toHaveProperty('expires_at', null);
});

test('what a value holds inside keeps its names', () => {
  const schema = z.strictObject({ audit_data: z.record(z.string(), z.unknown()) });
  expect(present(schema, { auditData: { path_key: 'on-call', camelCase: 1 } })).toEqual({
    audit_data: { path_key: 'on-call', camelCase: 1 },
  });
});

test('a member that is missing or of another type is an error of types, an optional one too', () => {
  const { id, createdByActorId, expiresAt, teamIds } = key;
  // @ts-expect-error revokedAt is optional, but nothing declares it.
  expect(present(keySchema, { id, createdByActorId, expiresAt, teamIds })).toBeDefined();
  // @ts-expect-error createdByActorId is missing.
  expect(present(keySchema, { id, expiresAt, teamIds, revokedAt: null })).toBeDefined();
  // @ts-expect-error teamIds are texts.
  expect(present(keySchema, { ...key, teamIds: [1] })).toBeDefined();
});
