/** What the rows of a condition share: the document that it is part of, and the fields that they can test. */
import { createContext, useContext } from 'react';
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import type { Problem } from '../editor/problems.ts';
import type { KnownFields } from './known-fields.ts';

export interface ConditionContextValue {
  readonly known: KnownFields;
  /** `change` gets the text of the whole document. Changes of one group in a row are one step of undo. */
  readonly edit: (change: (text: string) => string, group?: string) => void;
  readonly isReadOnly: boolean;
  /** Of the whole document. */
  readonly problems: readonly Problem[];
}

interface ConditionParts extends ConditionContextValue {
  /** The whole condition. */
  readonly root: Condition;
}

export const ConditionContext = createContext<ConditionParts | undefined>(undefined);

export function useCondition(): ConditionParts {
  const context = useContext(ConditionContext);
  if (!context) throw new Error('There is no condition around this.');
  return context;
}
