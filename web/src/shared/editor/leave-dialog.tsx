/** Asks before a page with changes that are not saved is left. */
import { LeaveDialog as Dialog } from '../design/dialogs/leave-dialog.tsx';
import { editor as text } from '../text/editor.ts';
import type { EditedDocument } from './use-document.ts';

export const LeaveDialog = ({ leaving }: Pick<EditedDocument, 'leaving'>) => (
  <Dialog leaving={leaving} title={text.leaveTitle} why={text.leaveWhy} />
);
