/** Nodes of escalation paths and team policies, for documents that need more than names. */
import { randomUUID } from 'node:crypto';
import type { TestMember } from './factories.ts';

export const user = ({ membershipId }: Pick<TestMember, 'membershipId'>) => ({
  type: 'user',
  id: membershipId,
});

export const team = (id: string) => ({ type: 'team', id });

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Working hours of a minute that begin in eleven to twelve hours, whatever the time is. */
export const closedHours = (id: string) => {
  const opens = new Date(Date.now() + 12 * 3_600_000);
  const hour = opens.toISOString().slice(11, 13);
  const interval = {
    weekdays: [WEEKDAYS[opens.getUTCDay()]],
    start: `${hour}:00`,
    end: `${hour}:01`,
  };
  return { id, name: 'Closed now', timezone: 'UTC', intervals: [interval] };
};

export const level = (targets: readonly object[], escalateAfter = '10m', more: object = {}) => ({
  id: randomUUID() as string,
  type: 'level',
  targets,
  escalate_after: escalateAfter,
  ...more,
});
