/** Builders of documents for the tests of the parser. */
import { parseEscalationPathDocument } from '../../../src/domain/escalation/parse.ts';
import type { ExactObject, ExactValue } from '../../../src/platform/json/exact-values.ts';

let serial = 0;
export const uuid = () => `00000000-0000-4000-8000-${(serial += 1).toString(16).padStart(12, '0')}`;
export const level = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '15m',
  raise_urgency: false,
  ...members,
});
export const interval = (members: ExactObject = {}): ExactObject => ({
  weekdays: ['mon', 'fri'],
  start: '09:00',
  end: '17:30',
  ...members,
});
export const hours = (members: ExactObject = {}): ExactObject => ({
  id: 'office',
  name: 'Office',
  timezone: 'Europe/Berlin',
  intervals: [interval()],
  ...members,
});
export const STANDARD: ExactObject = { type: 'urgency', urgency: 'standard' };
export const branch = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'if_else',
  conditions: [STANDARD],
  then: [],
  else: [],
  ...members,
});
export const defer = (members: ExactObject = {}): ExactObject => ({
  id: uuid(),
  type: 'defer',
  working_hours_id: 'office',
  standard_only: false,
  ...members,
});
export const path = (members: ExactObject = {}): ExactObject => ({
  name: 'Payments',
  working_hours: [hours()],
  nodes: [level()],
  ...members,
});
export const withHours = (...sets: ExactValue[]): ExactObject => path({ working_hours: sets });
export const withInterval = (members: ExactObject): ExactObject =>
  withHours(hours({ intervals: [interval(members)] }));
export const withNodes = (...nodes: ExactValue[]): ExactObject => path({ nodes });
export const withConditions = (...conditions: ExactValue[]): ExactObject =>
  withNodes(branch({ conditions }));

/** The problems found, as `pointer code`. */
export function problems(value: ExactValue): string[] {
  const result = parseEscalationPathDocument(value);
  return result.ok ? [] : result.issues.map((issue) => `${issue.pointer} ${issue.code}`);
}

export const HOURS = '/working_hours/0';
export const INTERVAL = `${HOURS}/intervals/0`;
