/** English texts of everything that edits documents with revisions. */
import { countText, someText } from './numbers.ts';

export const editor = {
  bar: 'Changes',
  noChanges: 'No changes',
  changes: (count: number) => someText(count, 'change', 'changes'),
  problems: (count: number) => someText(count, 'problem', 'problems'),
  undo: 'Undo',
  redo: 'Redo',
  discard: 'Discard',
  save: 'Save …',
  saveAndActivate: 'Save and activate …',
  activate: (revision: number) => `Activate revision ${countText(revision)} …`,
  history: 'History',
  saved: (revision: number) => `Saved as revision ${countText(revision)}. It is not active yet.`,
  activated: (revision: number) => `Revision ${countText(revision)} is active.`,
  restored: 'These are your unsaved changes from',
  draftTooLarge: 'This browser has no room for a draft. Changes are lost when you leave.',
  otherTab:
    'This document is also open in another tab. If you save in both, the second save shows a conflict.',
  offline: 'You are offline. Nothing is lost: try again once you are back.',
  busy: (seconds: number) => `The service is busy. Nothing is lost: try again in ${seconds} s.`,

  leaveTitle: 'Leave without saving?',
  leaveWhy:
    'This browser keeps your changes for you. They are here again when you come back to this page.',
  cancel: 'Cancel',
  close: 'Close',

  readOnly: 'You can view this, but you cannot change it.',
  archived: 'This is archived. No one can change it.',
  cannotActivate: 'You can save a revision. Someone else has to activate it.',
  missing: (permission: string) =>
    `You do not have the permission “${permission}”. An owner of your organization can grant it.`,

  saveTitle: 'Save as a new revision',
  activateTitle: (revision: number | undefined) =>
    revision === undefined ? 'Save and activate' : `Activate revision ${countText(revision)}`,
  comment: 'What did you change, and why? (optional)',
  commentHint: 'Shown in the history.',
  saveNow: 'Save',
  saving: 'Saving …',
  activateNow: 'Activate',
  activating: 'Activating …',
  cannotSave: 'Fix the problems first.',

  conflictShort:
    'Another revision became active in the meantime. Nothing was overwritten. Close this dialog and compare.',
  theirChanges: (revision: number) => `What revision ${countText(revision)} changes`,
  myChanges: 'What you change',
  conflict: (revision: number) => `activated revision ${countText(revision)} while you edited.`,
  someone: 'Someone',
  compare: 'Compare',
  putOnTop: 'Put my changes on top',
  takeTheirs: 'Discard mine',
  onTop: (revision: number) => `Your changes are now on top of revision ${countText(revision)}.`,
  clashes: (count: number) =>
    `${someText(count, 'place was', 'places were')} changed by both of you. Yours ${count === 1 ? 'is' : 'are'} kept: look at the changes.`,

  builder: 'Builder',
  json: 'JSON',
  view: 'View',
  jsonLabel: 'The document as JSON',
  loadingJson: 'Loading the editor …',

  historyTitle: 'History',
  revision: (revision: number) => `Revision ${countText(revision)}`,
  active: 'active',
  by: 'by',
  compareWith: 'Compare with your text',
  restore: 'Edit this one',
  restored2: (revision: number) => `You are editing revision ${countText(revision)} again.`,
  activateOld: 'Activate …',

  malformed: (line: number, column: number) =>
    `This is not JSON: look at line ${line}, column ${column}.`,
  duplicateKey: 'This name occurs twice in its object.',
  tooDeep: 'This nests too deeply.',
  /** The service says what is wrong without a subject, such as `must have at most 200 characters`. */
  refused: (message: string) => `This ${message}${message.endsWith('.') ? '' : '.'}`,
} as const;
