/** What changes policies. Each may ask the person to authenticate again, and what they may do is read again. */
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { v4 } from 'uuid';
import { call } from '../api/api.ts';
import { showToast } from '../design/messages/toasts.tsx';
import { useSensitiveCall, useSensitiveMutation } from '../session/recent-authentication.tsx';
import { accountQuery } from '../session/session.ts';
import {
  POLICIES,
  readAccessAgain,
  type Policy,
  type PolicyHolder,
  type Terms,
} from './access-data.ts';
import { termsIn } from './granting.ts';
import { editor as text } from './text.ts';

type Of = Pick<PolicyHolder, 'kind' | 'id'>;

async function createPolicy({ kind, id }: Of, terms: Terms, key: string): Promise<void> {
  const params = { path: { id }, header: { 'Idempotency-Key': key } };
  await call('post', POLICIES[kind], { params, body: terms });
}

const ONE = {
  member: `${POLICIES.member}/{policy_id}`,
  team: `${POLICIES.team}/{policy_id}`,
  api_key: `${POLICIES.api_key}/{policy_id}`,
} as const;

const pathOf = (id: string, policy: string) => ({ path: { id, policy_id: policy } });

function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await readAccessAgain(queries);
    await queries.invalidateQueries({ queryKey: accountQuery.queryKey });
  };
}

export interface SavedTerms {
  readonly terms: Terms;
  /** What the terms replace, at the revision they are based on. */
  readonly replaces?: Pick<Policy, 'id' | 'revision'>;
}

/** A repeated press with the same terms creates no second policy. */
export function useSavePolicy(
  holder: Of,
  onSaved: () => void,
): UseMutationResult<void, Error, SavedTerms> {
  const readAgain = useReadAgain();
  const sent = useRef({ terms: '', key: '' });
  return useSensitiveMutation({
    mutationFn: async ({ terms, replaces }: SavedTerms) => {
      if (replaces) {
        const body = { ...terms, revision: replaces.revision };
        await call('put', ONE[holder.kind], { params: pathOf(holder.id, replaces.id), body });
        return;
      }
      const written = JSON.stringify(terms);
      if (sent.current.terms !== written) sent.current = { terms: written, key: v4() };
      await createPolicy(holder, terms, sent.current.key);
    },
    onSuccess: async () => {
      showToast(text.saved);
      onSaved();
      await readAgain();
    },
  });
}

/** The message about it offers to grant the same again. */
export function useRevokePolicy(
  holder: Of,
  policy: Policy,
  onDone: () => void,
): UseMutationResult<void, Error, void> {
  const readAgain = useReadAgain();
  const sensitive = useSensitiveCall();
  const grantAgain = useMutation({
    mutationFn: async (key: string) => {
      await sensitive(async () => {
        await createPolicy(holder, termsIn(policy), key);
      });
    },
    onSuccess: readAgain,
    onError: (error) => {
      showToast(text.notRestored(error.message));
    },
  });
  return useSensitiveMutation({
    mutationFn: async () => {
      await call('delete', ONE[holder.kind], { params: pathOf(holder.id, policy.id) });
    },
    onSuccess: async () => {
      showToast(text.revoked, {
        undo: () => {
          grantAgain.mutate(v4());
        },
      });
      onDone();
      await readAgain();
    },
  });
}
