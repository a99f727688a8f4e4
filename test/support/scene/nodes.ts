/** Nodes of escalation paths and teams' policies, for documents that names alone cannot say. */
import { randomUUID } from 'node:crypto';
import type { TestMember } from './factories.ts';

export const user = ({ membershipId }: Pick<TestMember, 'membershipId'>) => ({
  type: 'user',
  id: membershipId,
});

export const team = (id: string) => ({ type: 'team', id });

export const level = (targets: readonly object[], escalateAfter = '10m', more: object = {}) => ({
  id: randomUUID() as string,
  type: 'level',
  targets,
  escalate_after: escalateAfter,
  ...more,
});
