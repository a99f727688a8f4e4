/** English texts of the audit log. */
import { typeInWords } from '../../../../src/domain/audit/event-sentences.ts';
import { countText } from '../../shared/text/numbers.ts';

export const audit = {
  title: 'Audit log',
  hint: 'Every change and every decision, with who made it. No one can change or delete an event.',
  search: 'Search events',
  by: {
    all: 'Everyone',
    human: 'People',
    agent: 'Agents',
    api_key: 'API keys',
    system: 'Countersign',
  },
  filters: {
    type: 'Event',
    anyType: 'any',
    kind: 'About',
    anyKind: 'anything',
    outcome: 'Result',
    anyOutcome: 'any',
    order: 'Order',
    from: 'From',
    to: 'To',
  },
  outcomes: {
    approved: 'approved',
    denied: 'denied',
    expired: 'expired',
    cancelled: 'withdrawn',
    human: 'sent to people',
    blocked: 'blocked by a gateway',
  },
  orders: { newest: 'newest first', oldest: 'oldest first', event: 'by event', actor: 'by actor' },
  words: typeInWords,
  onlyActor: 'Only what one actor did:',
  onlySubject: 'Only events of one subject:',
  removeFilter: 'Remove this filter',
  clear: 'Clear all filters',
  count: (count: number, isCut: boolean) =>
    `${countText(count)}${isCut ? ' or more' : ''} ${count === 1 ? 'event' : 'events'}`,
  none: 'No events yet',
  noneHint: 'The first change that someone makes appears here.',
  noMatch: 'No event matches these filters',
  details: 'Details',
  detailsOf: (sentence: string) => `Details: ${sentence}`,
  list: 'Events',
} as const;

export const detail = {
  title: 'Event',
  at: 'When',
  type: 'Event',
  actor: 'Actor',
  service: 'Countersign itself',
  subject: 'Subject',
  id: 'Event ID',
  copyId: 'Copy ID',
  position: 'Position in the chain',
  hash: 'Hash',
  notSealed: 'Not sealed yet. Events are sealed about a second after their commit.',
  data: 'Data, exactly as recorded',
  ofSubject: 'All events of this subject',
  ofActor: 'Everything this actor did',
  open: {
    approval_request: 'Open the request',
    agent: 'Open the agent',
    escalation_path: 'Open the escalation path',
    team_escalation_policy: 'Open the policy of the team',
  },
} as const;

export const chain = {
  title: 'State of the chain',
  hint: 'Each event seals the one before it. Signed checkpoints prove any later change of the log.',
  sealed: 'Sealed',
  upTo: (position: number) =>
    position === 0 ? 'No event is sealed yet' : `Up to position ${countText(position)}`,
  waiting: 'Waiting for their seal',
  nothingWaits: 'No event',
  events: (count: number, isCut: boolean) =>
    `${countText(count)}${isCut ? ' or more' : ''} ${count === 1 ? 'event' : 'events'}, the oldest from`,
  late: 'Sealing usually takes about a second. Check that a process with a worker runs, and read its log.',
  checkpoint: 'Newest checkpoint',
  checkpointAt: (position: number) => `Position ${countText(position)}, signed`,
  noCheckpoint: 'None yet. The first one follows within a minute of the first event.',
  signature: 'Signature',
  refused: { log_changed: 'Refused', not_kept: 'Nothing is signed' },
  refusedHint: {
    log_changed:
      'The log does not extend what was signed last: someone changed the database past the service, or an older backup was restored. It says:',
    not_kept:
      'The service cannot keep what it signs, so it signs nothing. The log may be whole. Those who run the service find the name of the file in its log. It says:',
  },
  key: 'Signing key',
  unsigned: 'None: the log is chained, but nothing is signed. Set COUNTERSIGN_AUDIT_KEY.',
  keep: 'Save this checkpoint',
  keepHint:
    'Keep some checkpoints where administrators of your database cannot write. verify-audit compares an export with them.',
  keys: 'Save the public keys',
} as const;

export const exporting = {
  button: 'Export',
  title: 'Export the audit log',
  filtered: 'The filters of this page apply.',
  whole: 'No filter is set: the file has every event.',
  form: 'File',
  forms: { proof: 'With proof', ndjson: 'JSON lines', csv: 'CSV' },
  contents: {
    proof:
      'Every entry of the chain with its hash, the checkpoints, the public keys and a signature. Events that a filter leaves out appear only as hashes. You can verify the file without this service.',
    ndjson:
      'One JSON event on each line, including events that are not sealed yet. This file contains no proof.',
    csv: 'A table for spreadsheets, with a sentence for each event. This file contains no proof.',
  },
  recorded: 'The export is recorded in the audit log.',
  download: 'Download',
  close: 'Close',
  verify: 'Verify the file',
  verifyHint:
    'You need the file, the public keys and a checkpoint that you saved earlier. The command reports what it cannot prove without them.',
} as const;

export const open = {
  title: 'The audit log in this edition',
  hint: 'The open edition records the same events and seals them in the same chain. This page lists them in the hosted edition. Here, the command line exports and verifies them.',
  export: 'Export the log with its proof, on the machine of the service:',
  keys: 'Get the public keys once, and keep them:',
  verify: 'Verify the file. You need neither the service nor its database:',
  database: 'Or verify the database itself:',
} as const;
