/**
 * The state of a document that is edited. Its JSON text is the truth: builders and the JSON view read it and change places in
 * it. A pure reducer.
 */

/** The revision that an editor began from. */
export interface Base {
  /** Its number; 0 where none is active. */
  readonly revision: number;
  readonly text: string;
}

export interface DocumentState {
  readonly text: string;
  readonly base: Base;
  /** What was saved last and is not active. */
  readonly saved?: Base;
  /** Texts before the last changes, oldest first. */
  readonly past: readonly string[];
  /** Texts that were undone, the last one first. */
  readonly future: readonly string[];
  /** Changes of one group in a row, such as the letters of a field, are one step. */
  readonly group?: string;
}

export type DocumentAct =
  | { readonly type: 'changed'; readonly text: string; readonly group?: string }
  | { readonly type: 'undone' }
  | { readonly type: 'redone' }
  | { readonly type: 'discarded' }
  /** The text is now a revision, which is not active. */
  | { readonly type: 'saved'; readonly saved: Base }
  /** Another revision is active: the text continues from it. */
  | { readonly type: 'rebased'; readonly base: Base; readonly text: string };

const MOST_STEPS = 200;
const MOST_CHARACTERS = 20_000_000;

export const startDocument = (base: Base, text = base.text, saved?: Base): DocumentState => ({
  ...{ text, base, past: [], future: [] },
  ...(saved && { saved }),
});

export const isChanged = ({ text, base }: DocumentState): boolean => text !== base.text;

/** Whether the text is a revision already, which is not active. */
export const isSaved = ({ text, saved }: DocumentState): boolean => saved?.text === text;

export function changeDocument(state: DocumentState, act: DocumentAct): DocumentState {
  switch (act.type) {
    case 'changed':
      return changed(state, act.text, act.group);
    case 'undone':
      return undone(state);
    case 'redone':
      return redone(state);
    case 'discarded':
      return changed(state, state.base.text);
    case 'saved':
      return { ...state, saved: act.saved };
    case 'rebased': {
      const { saved: _saved, ...next } = changed(state, act.text);
      return { ...next, base: act.base };
    }
  }
}

function changed(state: DocumentState, text: string, group?: string): DocumentState {
  if (text === state.text) return state;
  const { group: before, ...rest } = state;
  const isSameStep = group !== undefined && group === before;
  return {
    ...rest,
    text,
    past: isSameStep ? state.past : recent([...state.past, state.text]),
    future: [],
    ...(group !== undefined && { group }),
  };
}

function undone({ group: _group, ...state }: DocumentState): DocumentState {
  const text = state.past.at(-1);
  if (text === undefined) return state;
  return { ...state, text, past: state.past.slice(0, -1), future: [state.text, ...state.future] };
}

function redone({ group: _group, ...state }: DocumentState): DocumentState {
  const [text, ...future] = state.future;
  if (text === undefined) return state;
  return { ...state, text, past: [...state.past, state.text], future };
}

/** The newest steps. Of long documents, as many as fit. */
function recent(texts: readonly string[]): readonly string[] {
  let room = MOST_CHARACTERS;
  const kept = texts.slice(-MOST_STEPS);
  let from = kept.length;
  while (from > 0) {
    room -= kept[from - 1]?.length ?? 0;
    if (room < 0) break;
    from -= 1;
  }
  return kept.slice(from);
}
