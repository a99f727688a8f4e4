/** The decision of this person on one request: sent once, even when they leave the page, and known when they come back. */
import { useMutationState, useQueryClient, type MutationState } from '@tanstack/react-query';
import { isOtherPerson, isSignedOut } from '../../../shared/api/api.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { accountQuery } from '../../../shared/session/session.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import type { Hidden } from '../../../../../src/domain/shown/hidden.ts';
import type { Flag } from '../../../../../src/domain/shown/flags.ts';
import type { Main, Presented } from '../../../shared/call/presented-call.ts';
import { requestQuery, type RequestDetail } from '../requests-data.ts';
import {
  noteDraft,
  sentDecisions,
  useSentDecision,
  type Intent,
  type SentDecision,
} from './decision-storage.ts';
import { sendUntilConfirmed, type Decision } from './send-decision.ts';

/** What a person decides, and what they must see before they confirm. */
export interface DecidableCall {
  readonly request: RequestDetail;
  /** False where the arguments cannot be read. Then one can only deny. */
  readonly isReadable: boolean;
  /** What a presentation calls the call. */
  readonly title: Presented['title'] | undefined;
  /** What a reader decides by. */
  readonly main: readonly Main[];
  readonly flags: readonly Flag[];
  /** What is hidden in the arguments. */
  readonly hidden: Hidden;
  /** How many hidden values, and texts with hidden parts, this reader did not open. */
  readonly unrevealed: number;
  /** Values of which a part was not shown yet: one cannot approve before they are opened. */
  readonly unopened: readonly SourceValue[];
}

/** Requests outlive their pages in the cache, and so do the decisions on them. */
const mutationKeyOf = (id: string) => ['decisions', id] as const;
const REMEMBERED_MS = 5 * 60_000;

type DecisionMutation = MutationState<unknown, Error, Decision>;

export interface DecisionState {
  readonly isSending: boolean;
  /** Known also after a reload, when nothing is being sent any more. */
  readonly sent: SentDecision | undefined;
  readonly refusal: Error | undefined;
  /** Of the decision that is being sent, was refused, or is not confirmed. */
  readonly intent: Intent | undefined;
}

export function useDecisionState(id: string): DecisionState {
  const sent = useSentDecision(id);
  const latest = useMutationState<DecisionMutation>({
    filters: { mutationKey: mutationKeyOf(id) },
  }).at(-1);
  return {
    isSending: latest?.status === 'pending',
    sent,
    refusal: latest?.error ?? undefined,
    intent: latest?.variables?.intent ?? sent?.intent,
  };
}

export function useDecide(id: string) {
  const queries = useQueryClient();
  const isSignedIn = (actor: string): boolean =>
    queries.getQueryData(accountQuery.queryKey)?.principal.actor_id === actor;
  const { mutate } = useSensitiveMutation({
    mutationKey: mutationKeyOf(id),
    gcTime: REMEMBERED_MS,
    mutationFn: async (decision: Decision) =>
      await sendUntilConfirmed(decision, { isSignedIn: () => isSignedIn(decision.actor) }),
    onSuccess: ({ body: { decision, request } }) => {
      noteDraft.remove(id);
      sentDecisions.remove(id);
      const { status, updated_at } = request;
      queries.setQueryData(
        requestQuery(id).queryKey,
        (known) => known && { ...known, decision, status, updated_at },
      );
    },
    onError: (error) => {
      // After a sign-in, the same person finds out whether an earlier try had reached the service.
      if (!isSignedOut(error) && !isOtherPerson(error)) sentDecisions.remove(id);
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['requests'] });
    },
  });
  const dismissRefusal = () => {
    const decisions = queries.getMutationCache();
    for (const refused of decisions.findAll({ mutationKey: mutationKeyOf(id), status: 'error' }))
      decisions.remove(refused);
  };
  return { send: mutate, dismissRefusal };
}

/** What a decision is bound to: everything the page shows of the request. Any change of it disarms the bar. */
export const bindingOf = (request: RequestDetail, digest: string): string =>
  JSON.stringify({ ...request, arguments: digest });
