/** One section of the settings: its fields, what they would change, and saving it alone. */
import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useState } from 'react';
import { ApiError } from '../../shared/api/api.ts';
import { refusedFields } from '../../shared/forms/form-problems.ts';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { accountQuery } from '../../shared/session/session.ts';
import { changesOf, without, type Draft, type Term } from './draft.ts';
import {
  changeOrganization,
  organizationQuery,
  usageQuery,
  type Revised,
  type Terms,
} from './organization-data.ts';

interface Editing {
  readonly current: Revised;
  readonly draft: Draft;
  readonly setDraft: (change: (draft: Draft) => Draft) => void;
  readonly isReadOnly: boolean;
}

const EditingContext = createContext<Editing | undefined>(undefined);
export const EditingProvider = EditingContext;

export function useEditing(): Editing {
  const editing = use(EditingContext);
  if (!editing) throw new Error('a section is outside of the page of the organization');
  return editing;
}

const isConflict = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'revision_conflict';

export function useSection(terms: readonly Term[]) {
  const { current, draft, setDraft, isReadOnly } = useEditing();
  const queries = useQueryClient();
  const [isSaved, setSaved] = useState(false);
  const changed = changesOf(draft, current.terms, terms);
  const saving = useSensitiveMutation({
    mutationFn: changeOrganization,
    onSuccess: (next) => {
      queries.setQueryData(organizationQuery.queryKey, next);
      setDraft((before) => without(before, terms));
      setSaved(true);
      void queries.invalidateQueries({ queryKey: usageQuery.queryKey });
      void queries.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
    onError: (error) => {
      // What is in force is read again: the changes then stand on top of it.
      if (isConflict(error))
        void queries.invalidateQueries({ queryKey: organizationQuery.queryKey });
    },
  });
  const refused = refusedFields(saving.error);
  return {
    base: current.terms,
    shown: { ...current.terms, ...draft } as Terms,
    changed,
    hasChanges: Object.keys(changed).length > 0,
    isReadOnly,
    isSaved,
    isConflict: isConflict(saving.error),
    error: Object.keys(refused).length > 0 || isConflict(saving.error) ? null : saving.error,
    /** Of the service, also where a field says it. */
    refusal: saving.error,
    isSaving: saving.isPending,
    problemAt: (term: Term) =>
      Object.entries(refused).find(
        ([name]) => name === term || name.startsWith(`settings.${term}`),
      )?.[1],
    set: (change: Draft) => {
      setSaved(false);
      setDraft((before) => ({ ...before, ...change }));
    },
    discard: () => {
      saving.reset();
      setDraft((before) => without(before, terms));
    },
    save: () => {
      if (!saving.isPending) saving.mutate({ changed, over: current.revision });
    },
  };
}

export type Section = ReturnType<typeof useSection>;
