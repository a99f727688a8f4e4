/** How revisions came about: the members of every revision in responses that say so. */
import { z } from 'zod';
import { HISTORY_MEMBERS } from '../src/domain/read-back.ts';
import type { RevisionActor, RevisionHistory } from '../src/domain/revisions.ts';
import { present } from './http/present.ts';
import { timestamp, uuid } from './http/schema.ts';

const actorSchema = z
  .strictObject({
    id: uuid('The membership or the key of the organization.'),
    kind: z.enum(['member', 'api_key']).meta({ description: 'Which of the two.' }),
    display_name: z.string().meta({ description: 'Its name now.' }),
  })
  .meta({ id: 'RevisionActor', description: 'Who created or activated a revision.' });

/** The members of every revision in responses that say how it came about. */
export const historyFields = {
  created_by_actor_id: uuid('Membership or organization key that created it.'),
  created_by: actorSchema,
  created_at: timestamp('When it was created.'),
  activated_by: actorSchema
    .optional()
    .meta({ description: 'Who last activated it; absent if it was never active.' }),
  activated_at: timestamp('When it was last activated; absent if it was never active.').optional(),
  comment: z
    .string()
    .optional()
    .meta({ description: 'Why it was created, as its author wrote it.' }),
};

const historySchema = z.strictObject(historyFields);

const presentActor = (actor: RevisionActor) => present(actorSchema, actor);

/** What `present` copies of a schema with `historyFields`. */
export function presentable({ activatedBy, activatedAt, comment, ...created }: RevisionHistory) {
  return {
    createdByActorId: created.createdByActorId,
    createdBy: presentActor(created.createdBy),
    createdAt: created.createdAt,
    activatedBy: activatedBy && presentActor(activatedBy),
    activatedAt,
    comment,
  };
}

export const presentHistory = (history: RevisionHistory) =>
  present(historySchema, presentable(history));

const actorExample = {
  id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70',
  kind: 'member',
  display_name: 'Ada Lovelace',
};

/** Of an active revision. */
export const historyExample = (createdAt: string, comment: string) => ({
  created_by_actor_id: actorExample.id,
  created_by: actorExample,
  created_at: createdAt,
  activated_by: actorExample,
  activated_at: createdAt.replace(':00.000Z', ':30.000Z'),
  comment,
});

/** The same revision before it was ever active. */
export function neverActive({
  activated_by: _by,
  activated_at: _at,
  ...example
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...example, is_active: false };
}

/**
 * The body of a new revision, which may have what responses add to a revision. `identity` names what
 * must be absent or right.
 */
export function orAsRead(document: z.ZodObject, identity: readonly string[]) {
  const members = [
    ...HISTORY_MEMBERS.map((name) => [name, 'As it was read. Ignored.'] as const),
    ...identity.map((name) => [name, 'As it was read. Another value is refused.'] as const),
  ].map(([name, description]) => [
    name,
    z.unknown().optional().meta({ description, override: {} }),
  ]);
  const { id, description } = document.meta() ?? {};
  return document.extend(Object.fromEntries(members) as z.ZodRawShape).meta({
    id: `Posted${id}`,
    description: `${description} A revision as it was read is taken, too.`,
  });
}
