/** The dialogs of every document with revisions: saving, activating, and the history. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading, PartFailed } from '../page/states.tsx';
import { editor as text } from '../text/editor.ts';
import { isSaved } from './document-state.ts';
import { HistoryDrawer } from './history-drawer.tsx';
import type { EditedRevisions } from './revisions.ts';
import { SaveDialog } from './save-dialog.tsx';
import type { EditedDocument } from './use-document.ts';
import type { Missing, OpenDialog, useSaving } from './use-revisions.ts';

export interface RevisionDialogsProps {
  readonly revisions: EditedRevisions;
  readonly document: EditedDocument;
  readonly dialog: OpenDialog;
  readonly setDialog: (dialog: OpenDialog | undefined) => void;
  readonly saving: ReturnType<typeof useSaving>;
  readonly missing: Missing;
  readonly onTold: (message: string) => void;
  /** What one text changes from another. */
  readonly compare: (before: string, after: string) => ReactNode;
  /** What has to be read and ticked before activating. */
  readonly acknowledgment: string | undefined;
  /** Whether it is not known yet what has to be ticked. */
  readonly isWaiting?: boolean;
  /** Below the changes, before activating. */
  readonly children?: ReactNode;
}

export function RevisionDialogs(props: RevisionDialogsProps) {
  const { document, dialog, setDialog, saving, onTold, compare, children } = props;
  const { acknowledgment, isWaiting = false } = props;
  const { state } = document;
  const close = () => {
    setDialog(undefined);
  };
  if (dialog.kind === 'history') return <History {...props} onClose={close} />;
  const { isActivated } = dialog;
  return (
    <SaveDialog
      isActivated={isActivated}
      saved={isSaved(state) ? state.saved?.revision : undefined}
      saving={saving}
      acknowledgment={acknowledgment}
      isWaiting={isWaiting}
      onDone={({ revision }) => {
        onTold(isActivated ? text.activated(revision) : '');
      }}
      onClose={close}
    >
      {compare(state.base.text, state.text)}
      {isActivated && children}
    </SaveDialog>
  );
}

function History(props: RevisionDialogsProps & { readonly onClose: () => void }) {
  const { revisions, document, setDialog, missing, onTold, compare, onClose } = props;
  const queries = useQueryClient();
  const list = useInfiniteQuery(revisions.history);
  const take = async (revision: number) => {
    const taken = await queries.fetchQuery(revisions.textOf(revision));
    document.act({ type: 'changed', text: taken });
    return taken;
  };
  const edit = async (revision: number) => {
    await take(revision);
    onTold(text.restored2(revision));
    onClose();
  };
  const activate = async (revision: number) => {
    const taken = await take(revision);
    // It is a revision already: nothing is saved again.
    document.act({ type: 'saved', saved: { revision, text: taken } });
    setDialog({ kind: 'save', isActivated: true });
  };
  return (
    <HistoryDrawer
      list={list}
      onClose={onClose}
      compare={(revision) => (
        <Compared {...{ revisions, revision, compare }} text={document.state.text} />
      )}
      onEdit={missing.save === undefined ? (revision) => void edit(revision) : undefined}
      onActivate={
        missing.activate === undefined ? (revision) => void activate(revision) : undefined
      }
    />
  );
}

interface ComparedProps extends Pick<RevisionDialogsProps, 'revisions' | 'compare'> {
  readonly revision: number;
  readonly text: string;
}

function Compared({ revisions, revision, compare, text: now }: ComparedProps) {
  const other = useQuery(revisions.textOf(revision));
  if (other.isPending) return <Loading />;
  if (other.isError) return <PartFailed part={other} />;
  return compare(other.data, now);
}
