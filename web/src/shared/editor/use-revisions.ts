/** What every editor of a document with revisions does. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSensitiveMutation } from '../session/recent-authentication.tsx';
import { isSaved, type Base } from './document-state.ts';
import { refusedPlaces, type Problem } from './problems.ts';
import type { EditedRevisions } from './revisions.ts';
import type { EditedDocument } from './use-document.ts';

/** The permissions that the reader lacks for it. */
export interface Missing {
  readonly save?: string | undefined;
  readonly activate?: string | undefined;
  /** No one may change it, whatever their permissions. */
  readonly isArchived?: boolean;
}

export type OpenDialog =
  { readonly kind: 'save'; readonly isActivated: boolean } | { readonly kind: 'history' };

/** Saving and activating it, its dialogs, and what they brought about. `active`: the revision that is active now. */
export function useRevisions(document: EditedDocument, revisions: EditedRevisions, active: Base) {
  const saving = useSaving(document, revisions);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [told, onTold] = useState('');
  return {
    ...{ told, onTold },
    isBehind: useIsBehind(document, active),
    refusal: saving.error,
    onOpen: (opened: OpenDialog) => {
      onTold('');
      setDialog(opened);
    },
    dialogs: dialog && { document, revisions, saving, dialog, setDialog, onTold },
  };
}

/** Whether another revision became active. Where nothing of one's own is in the way, it is taken. */
function useIsBehind({ state, isChanged, act }: EditedDocument, active: Base): boolean {
  const { revision, text } = active;
  const isBehind = revision !== state.base.revision;
  useEffect(() => {
    if (isBehind && !isChanged) act({ type: 'rebased', base: { revision, text }, text });
  }, [isBehind, isChanged, act, revision, text]);
  return isBehind;
}

/** What is no JSON, what a check found, or what the service refused of this very text. */
export function useProblems(
  { read, state: { text: now } }: EditedDocument,
  refusal: Error | null,
  checked: readonly Problem[] = NONE,
): readonly Problem[] {
  const [refused, setRefused] = useState({ refusal, of: now });
  if (refused.refusal !== refusal) setRefused({ refusal, of: now });
  return useMemo(() => {
    if (read.problem) return [read.problem];
    if (checked.length > 0) return checked;
    return refused.of === now ? refusedPlaces(refused.refusal) : NONE;
  }, [read, checked, refused, now]);
}

const NONE: readonly Problem[] = [];

interface SaveWish {
  readonly comment: string;
  readonly isActivated: boolean;
}

/** A revision that was saved stays saved when activating it is refused. */
export function useSaving(document: EditedDocument, revisions: EditedRevisions) {
  const { state, act } = document;
  const queries = useQueryClient();
  // The call runs again after the person authenticated, and must not save twice.
  const latest = useRef(state.saved);
  const refresh = () => void queries.invalidateQueries({ queryKey: [revisions.name[0]] });
  return useSensitiveMutation({
    mutationFn: async ({ comment, isActivated }: SaveWish) => {
      const known = isSaved(state) ? state.saved : latest.current;
      let saved = known?.text === state.text ? known : undefined;
      try {
        if (!saved) {
          const { revision } = await revisions.save({ text: state.text, comment });
          saved = { revision, text: state.text };
          latest.current = saved;
          act({ type: 'saved', saved });
        }
        if (!isActivated) return saved;
        const over = state.base.revision;
        const active = await revisions.activate({ revision: saved.revision, over });
        act({ type: 'rebased', base: active, text: active.text });
        return active;
      } finally {
        // Also after a refusal: another revision may be active.
        refresh();
      }
    },
  });
}
