/** The email with which owners keep the newest checkpoint of their audit log, out of reach of those who run the service. */
import { shownInstant, shownLine } from '../shown-text.ts';
import type { Checkpoint } from './checkpoints.ts';
import { checkpointLine } from './export.ts';

export interface CheckpointMail {
  readonly subject: string;
  readonly text: string;
}

/** The line of the checkpoint is that of an export, so `verify-audit --checkpoint` reads the saved text. */
export function checkpointMail(
  checkpoint: Checkpoint,
  { displayName, url }: { readonly displayName: string; readonly url: string },
): CheckpointMail {
  return {
    subject: 'Keep this checkpoint of your Countersign audit log',
    text: [
      `Hello ${shownLine(displayName)},`,
      '',
      'This is the newest checkpoint of the audit log of your organization. Keep this email, or save its text to a file.',
      'With it, you can later show whether someone changed the log up to this point, even with the database and the key:',
      '',
      'countersign verify-audit audit.ndjson --key audit-keys.json --checkpoint kept.txt',
      '',
      `Signed: ${shownInstant(checkpoint.at)}`,
      `Position: ${checkpoint.position}`,
      '',
      checkpointLine(checkpoint),
      '',
      'Owners of an organization get this email once a week. COUNTERSIGN_AUDIT_MAIL=false turns it off.',
      '',
      url,
      '',
    ].join('\n'),
  };
}
