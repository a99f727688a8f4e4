/** A document with revisions that someone edits: its state, kept in the browser, and what guards it. */
import { useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import { keepDraft, readDraft, removeDraft } from '../browser/drafts.ts';
import { useLeaving, type Leaving } from '../browser/leaving.ts';
import { useOtherTab } from '../browser/other-tabs.ts';
import {
  changeDocument,
  isChanged,
  isSaved,
  startDocument,
  type Base,
  type DocumentAct,
  type DocumentState,
} from './document-state.ts';
import { readDocument, type ReadDocument } from './problems.ts';

export interface EditedDocument {
  readonly state: DocumentState;
  readonly read: ReadDocument;
  readonly isChanged: boolean;
  readonly act: (act: DocumentAct) => void;
  /** `change` gets the text and returns another one. Changes of one group in a row are one step of undo. */
  readonly edit: (change: (text: string) => string, group?: string) => void;
  /** When the changes were made that this browser had kept, RFC 3339. */
  readonly restoredFrom: string | undefined;
  readonly isInOtherTab: boolean;
  /** The browser has no room for the draft. */
  readonly isDraftLost: boolean;
  /** The person wants to leave with changes that are not saved. */
  readonly leaving: Leaving | undefined;
}

interface DocumentName {
  /** The person. */
  readonly owner: string;
  /** Such as `pipeline:organization`. */
  readonly name: string;
}

/** What the reducer gets: a change reads the newest text. */
type Step = DocumentAct | { readonly change: (text: string) => string; readonly group?: string };

function reduce(state: DocumentState, step: Step): DocumentState {
  if ('type' in step) return changeDocument(state, step);
  const { change, group } = step;
  const text = change(state.text);
  return changeDocument(state, { type: 'changed', text, ...(group !== undefined && { group }) });
}

/**
 * `active`: the revision that is active now, as it is edited. A draft continues from its own base: the
 * page compares `state.base` with the active revision. `saved`: a revision that waits to be activated, from which the
 * editor begins. Give the component that calls it a `key`.
 */
export function useDocument(
  { owner, name }: DocumentName,
  active: Base,
  saved?: Base,
): EditedDocument {
  const [draft] = useState(() => readDraft(owner, name));
  const [state, dispatch] = useReducer(reduce, undefined, () =>
    draft
      ? startDocument(draft.base, draft.text, draft.saved)
      : startDocument(active, saved?.text, saved),
  );
  const hasChanged = isChanged(state);
  const isDraftLost = useKeptDraft({ owner, name }, state);
  const edit = useCallback((change: (text: string) => string, group?: string) => {
    dispatch({ change, ...(group !== undefined && { group }) });
  }, []);
  return {
    state,
    read: useMemo(() => readDocument(state.text), [state.text]),
    isChanged: hasChanged,
    act: dispatch,
    edit,
    restoredFrom:
      draft && hasChanged && !isSaved(state) && state.past.length === 0
        ? draft.changedAt
        : undefined,
    isInOtherTab: useOtherTab(`${owner}:${name}`),
    isDraftLost,
    leaving: useLeaving(hasChanged && !isSaved(state), { isKeptInPage: true }),
  };
}

/** Keys are pressed faster than a long text is written. */
const KEEP_MS = 150;

/** Keeps the draft while there are changes. True where the browser has no room. */
function useKeptDraft({ owner, name }: DocumentName, state: DocumentState): boolean {
  const { text, base, saved } = state;
  const [isLost, setIsLost] = useState(false);
  useEffect(() => {
    if (text === base.text) {
      removeDraft(owner, name);
      return undefined;
    }
    const timer = setTimeout(() => {
      const changedAt = new Date().toISOString();
      setIsLost(!keepDraft(owner, name, { text, base, ...(saved && { saved }), changedAt }));
    }, KEEP_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [owner, name, text, base, saved]);
  return isLost && text !== base.text;
}
