/** The dialogs of a path: saving, activating, and the history. */
import {
  RevisionDialogs,
  type RevisionDialogsProps,
} from '../../shared/editor/revision-dialogs.tsx';
import { ChangedLines } from './changed-lines.tsx';
import { editing as text } from './editing/text.ts';
import type { EscalationWarning } from './paths-data.ts';
import { WarningList } from './warning-list.tsx';

type PathDialogsProps = Omit<RevisionDialogsProps, 'compare' | 'acknowledgment' | 'children'> & {
  readonly warnings: readonly EscalationWarning[];
};

export function PathDialogs({ warnings, ...props }: PathDialogsProps) {
  return (
    <RevisionDialogs
      {...props}
      compare={(before, after) => <ChangedLines before={before} after={after} />}
      acknowledgment={warnings.length > 0 ? text.anyway : undefined}
    >
      <WarningList warnings={warnings} />
    </RevisionDialogs>
  );
}
