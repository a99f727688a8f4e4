/** What the cards of rules share while a document is edited. */
import { createContext, useContext } from 'react';
import type { ExactValue } from '../../../../src/platform/json/exact-values.ts';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import type { Problem } from '../../shared/editor/problems.ts';
import type { Scope } from './rules-data.ts';

/** A path or an endpoint that rules can name. */
export interface Named {
  readonly key: string;
  readonly name: string;
  readonly isActive: boolean;
}

/** What the tests that must hold say of the text. */
export interface TestsState {
  /** Their names. */
  readonly failing: readonly string[];
  /** They have not run with the text as it is now. */
  readonly isUntold: boolean;
}

export interface Editing {
  readonly scope: Scope;
  readonly document: ExactValue;
  /** The newest text, for what happens after a press. */
  readonly textNow: () => string;
  readonly edit: EditedDocument['edit'];
  readonly isReadOnly: boolean;
  readonly problems: readonly Problem[];
  readonly paths: readonly Named[];
  readonly endpoints: readonly Named[];
  /** This deployment cannot have endpoints: it has no secrets key. */
  readonly endpointsMissing: boolean;
  /** The block that is open, by its pointer. */
  readonly open: string | undefined;
  readonly setOpen: (pointer: string | undefined) => void;
}

export const EditingContext = createContext<Editing | undefined>(undefined);

export function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error('There is no document around this.');
  return editing;
}
