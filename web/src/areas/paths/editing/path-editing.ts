/** What the cards share while a path is edited. */
import { createContext, useContext } from 'react';
import { problemAt, problemsWithin, type Problem } from '../../../shared/editor/problems.ts';
import type { Edit } from '../document/path-edits.ts';

export interface PathEditing {
  /** Changes of one group in a row are one step of undo. */
  readonly edit: (change: Edit, group?: string) => void;
  readonly problems: readonly Problem[];
  /** Of a policy: its team. Levels ask its members, or all of them. */
  readonly teamId?: string;
}

/** Undefined: cards are only read. */
export const PathEditingContext = createContext<PathEditing | undefined>(undefined);

export const useMayEdit = (): PathEditing | undefined => useContext(PathEditingContext);

export function usePathEditing(): PathEditing {
  const editing = useContext(PathEditingContext);
  if (!editing) throw new Error('there is no path around this that is edited');
  return editing;
}

/** What is wrong with a value or its parts, as one text. */
export function problemIn(problems: readonly Problem[], pointer: string): string | undefined {
  const exact = problemAt(problems, pointer);
  return exact ?? problemsWithin(problems, pointer)[0]?.message;
}
