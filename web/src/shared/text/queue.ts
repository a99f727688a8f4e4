/** English texts of the queue's state, its selection and the denial of several requests. */
import { countText, someText } from './numbers.ts';
import type { requests } from './requests.ts';

const these = (value: number): string => someText(value, 'request', 'requests');

export const queue = {
  cut: 'The service is not responding. This list may be out of date. Trying again …',
  offline: 'You are offline. This list may be out of date.',
  loadingMore: 'Loading more …',
  clearFilters: 'Clear filters',
  filters: (filters: number) => (filters === 0 ? 'Filters' : `Filters (${filters})`),
  groups: { urgent: 'Urgent', soon: 'Soon: within the hour', later: 'Later' },
  skip: 'Skip to the open request',
  showDecidable: (waiting: number) => `Show ${these(waiting)} that you can decide`,

  select: 'Select',
  selectRow: (tool: string, agent: string) => `Select ${tool} of ${agent}`,
  selection: 'Selected requests',
  selected: (selected: number) => `${countText(selected)} selected`,
  selectAll: 'Select all',
  endSelection: 'Done',
  hint: 'Select the requests you want to deny.',
  most: (most: number) => `You can deny at most ${most} at once.`,
  dropped: (dropped: number) =>
    `${these(dropped)} removed from the selection: decided or changed in the meantime.`,

  denySome: (selected: number) => (selected === 0 ? 'Deny …' : `Deny ${countText(selected)} …`),
  title: (selected: number) => `Deny ${these(selected)}?`,
  intro: 'Each request is denied separately, with the same note.',
  note: 'One note for the agents and the record (optional)',
  confirm: (selected: number) => `Deny ${these(selected)}`,
  cancel: 'Cancel',

  progress: (done: number, all: number) => `${done} of ${all}`,
  stop: 'Stop',
  stopping: 'Stopping …',
  close: 'Close',
  doneTitle: 'Finished',
  denied: (denied: number, all: number) =>
    denied === all ? `${countText(denied)} denied.` : `${denied} of ${these(all)} denied.`,
  stay: (left: number) => `${these(left)} ${left === 1 ? 'stays' : 'stay'} selected.`,
  outcome: {
    waiting: 'not sent',
    sending: 'sending …',
    retrying: 'not confirmed yet, trying again …',
    denied: 'denied',
    decided: (status: keyof typeof requests.status, by: string | undefined) =>
      `already ${DECISIONS[status]}${by === undefined ? '' : ` by ${by}`}`,
    forbidden: 'you cannot decide it',
    unconfirmed: 'sent, not confirmed',
  },
} as const;

const DECISIONS: Readonly<Record<keyof typeof requests.status, string>> = {
  pending: 'decided',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'withdrawn by the agent',
};
