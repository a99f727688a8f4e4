/** The answer of this person to one request: sent once, also when they leave the page, and known when they come back. */
import { useMutationState, useQueryClient, type MutationState } from '@tanstack/react-query';
import { isSignedOut } from '../../../shared/api/api.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { accountQuery } from '../../../shared/session/session.ts';
import type { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import type { Hidden } from '../../../../../src/domain/shown/hidden.ts';
import type { Flag } from '../../../../../src/domain/shown/flags.ts';
import type { Main, Presented } from '../call/presented-call.ts';
import { requestQuery, type RequestDetail } from '../requests-data.ts';
import {
  noteDraft,
  sentAnswers,
  useSentAnswer,
  type Intent,
  type SentAnswer,
} from './answer-storage.ts';
import { sendUntilAnswered, type Answer } from './send-answer.ts';

/** What a person answers, and what they must see before they confirm. */
export interface AnswerableCall {
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

/** Requests outlive their pages in the cache, and so do the answers to them. */
const answerKey = (id: string) => ['answers', id] as const;

type AnswerMutation = MutationState<unknown, Error, Answer>;

export interface AnswerState {
  readonly isSending: boolean;
  /** Known also after a reload, when nothing is being sent any more. */
  readonly sent: SentAnswer | undefined;
  readonly refusal: Error | undefined;
  /** Of the answer that is being sent, was refused, or is not confirmed. */
  readonly intent: Intent | undefined;
}

export function useAnswerState(id: string): AnswerState {
  const sent = useSentAnswer(id);
  const latest = useMutationState<AnswerMutation>({
    filters: { mutationKey: answerKey(id) },
  }).at(-1);
  return {
    isSending: latest?.status === 'pending',
    sent,
    refusal: latest?.error ?? undefined,
    intent: latest?.variables?.intent ?? sent?.intent,
  };
}

export function useAnswering(id: string) {
  const queries = useQueryClient();
  const isSignedIn = (actor: string): boolean =>
    queries.getQueryData(accountQuery.queryKey)?.principal.actor_id === actor;
  const { mutate } = useSensitiveMutation({
    mutationKey: answerKey(id),
    mutationFn: async (answer: Answer) =>
      await sendUntilAnswered(answer, { isSignedIn: () => isSignedIn(answer.actor) }),
    onSuccess: ({ body: { decision, request } }) => {
      noteDraft.remove(id);
      sentAnswers.remove(id);
      const { status, updated_at } = request;
      queries.setQueryData(
        requestQuery(id).queryKey,
        (known) => known && { ...known, decision, status, updated_at },
      );
    },
    onError: (error) => {
      // After a sign-in, the same person finds out whether an earlier try had reached the service.
      if (!isSignedOut(error)) sentAnswers.remove(id);
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['requests'] });
    },
  });
  const dismissRefusal = () => {
    const answers = queries.getMutationCache();
    for (const refused of answers.findAll({ mutationKey: answerKey(id), status: 'error' }))
      answers.remove(refused);
  };
  return { send: mutate, dismissRefusal };
}

/** What an answer is bound to: all that the page shows of the request. Any change of it disarms the bar. */
export const bindingOf = (request: RequestDetail, digest: string): string =>
  JSON.stringify({ ...request, arguments: digest });
