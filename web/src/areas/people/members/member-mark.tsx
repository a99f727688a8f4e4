/** The status of a member in a word. */
import { StateMark, type StateTone } from '../../../shared/design/marks/badge.tsx';
import type { Member } from '../people-data.ts';
import { people as text } from '../text.ts';

const TONES: Readonly<Record<Member['status'], StateTone>> = {
  active: 'good',
  suspended: 'warn',
  deprovisioned: 'plain',
};

export function MemberMark({ status }: Pick<Member, 'status'>) {
  return <StateMark tone={TONES[status]}>{text.statuses[status]}</StateMark>;
}
