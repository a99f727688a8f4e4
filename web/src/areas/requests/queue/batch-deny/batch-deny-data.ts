/** Sending the decisions of a batch, and what became of each. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, isOtherPerson, isSignedOut, isUnconfirmed } from '../../../../shared/api/api.ts';
import { useSensitiveCall } from '../../../../shared/session/recent-authentication.tsx';
import { accountQuery } from '../../../../shared/session/session.ts';
import { decisionKey, sentDecisions } from '../../decision/decision-storage.ts';
import { sendUntilConfirmed } from '../../decision/send-decision.ts';
import type { Summary } from '../change-log.ts';
import { dropDecided } from '../queue-data.ts';
import { denyEach, type FinalDecision, type Outcome } from './deny-each.ts';

type Outcomes = ReadonlyMap<string, Outcome>;

export function useBatchDeny() {
  const queries = useQueryClient();
  const send = useDenial();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const running = useRef<AbortController>(undefined);
  // Leaving the page stops it: no denial goes out that no one sees.
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );
  const report = (id: string, outcome: Outcome) => {
    setOutcomes((before) => new Map(before).set(id, outcome));
    if (outcome.kind === 'denied' || outcome.kind === 'decided') dropDecided(queries, id);
  };
  const run = useMutation({
    networkMode: 'always',
    mutationFn: async ({
      ids,
      note,
    }: {
      readonly ids: readonly string[];
      readonly note: string;
    }) => {
      const { signal } = (running.current = new AbortController());
      setOutcomes(new Map(ids.map((id) => [id, { kind: 'waiting' }])));
      await denyEach({
        ids,
        send: async (id, onRetry) => {
          await send({ id, note }, { onRetry, signal });
        },
        findDecision: async (id) => await findDecision(id).catch(() => undefined),
        report,
        signal,
      });
    },
  });
  return {
    outcomes,
    isRunning: run.isPending,
    /** What stopped all of them. */
    error: run.error,
    start: run.mutate,
    stop: () => {
      running.current?.abort();
    },
  };
}

export type BatchDeny = ReturnType<typeof useBatchDeny>;

/** One decision. It goes without a digest: a summary is no proof that the arguments were seen. */
function useDenial() {
  const queries = useQueryClient();
  const sensitive = useSensitiveCall();
  const actorNow = () => queries.getQueryData(accountQuery.queryKey)?.principal.actor_id;
  const [actor] = useState(actorNow);
  return async (
    { id, note }: { readonly id: string; readonly note: string },
    tries: { readonly onRetry: () => void; readonly signal: AbortSignal },
  ): Promise<void> => {
    const key = decisionKey(id, 'denied');
    const decision = {
      id,
      intent: 'denied',
      note,
      digest: undefined,
      key,
      actor: actor ?? '',
    } as const;
    try {
      const isSignedIn = () => actorNow() === actor;
      await sensitive(async () => await sendUntilConfirmed(decision, { ...tries, isSignedIn }));
      sentDecisions.remove(id);
    } catch (error) {
      // The page of the request continues from there.
      if (![isSignedOut, isOtherPerson, isUnconfirmed].some((keeps) => keeps(error)))
        sentDecisions.remove(id);
      throw error;
    }
  };
}

/** Its summary: the request itself may have a megabyte of arguments. */
async function findDecision(id: string): Promise<FinalDecision | undefined> {
  const query = { view: 'summary', q: id, limit: 1 } as const;
  const { body } = await call('get', '/api/v1/requests', { params: { query } });
  const found = body.requests[0] as Summary | undefined;
  if (found?.id !== id || found.status === 'pending') return undefined;
  const by = found.decision?.reviewer_display_name;
  return { status: found.status, ...(by !== undefined && { by }) };
}
