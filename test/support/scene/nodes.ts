/** Nodes of escalation paths and team policies, for documents that need more than names. */
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
