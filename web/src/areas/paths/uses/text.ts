/** English texts of what uses an escalation path, and of archiving it. */
import { someText } from '../../../shared/text/numbers.ts';

export const uses = {
  usedBy: 'Used by',
  notUsed: 'No rule uses it.',
  chooseIt: 'Choose it in the rules',
  organization: 'the organization’s rules',
  agent: 'the rules of',
  default: 'Default',
  more: (count: number) => `and ${count} more`,
  andOthers: 'and others',
  waiting: (count: number) => `${count === MOST ? `${MOST} or more` : count} waiting`,
  keep: '(these keep their revision)',
  archive: 'Archive …',
  archiveTitle: (name: string) => `Archive ${name}?`,
  isFinal:
    'You cannot undo this. The key stays reserved, and no revision is active. Requests that wait on the path stay on it.',
  confirm: 'Archive',
  archiving: 'Archiving …',
  inUse: (count: number) =>
    `${someText(count, 'rule or default uses', 'rules and defaults use')} this path. Change them first.`,
} as const;

/** The service counts no further. */
const MOST = 1_000;
