/** Sending the decisions of a batch, and what became of each. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, call } from '../../../../shell/api.ts';
import { useSensitiveCall } from '../../../../shell/recent-authentication.tsx';
import { accountQuery } from '../../../../shell/session.ts';
import { requests as requestText } from '../../../../text/requests.ts';
import { decisionKey } from '../../answer/answer-storage.ts';
import type { Summary } from '../change-log.ts';
import { dropAnswered } from '../queue-data.ts';
import { denyEach, type Answer, type Outcome } from './deny-each.ts';

type Outcomes = ReadonlyMap<string, Outcome>;

export function useBatchDeny() {
  const queries = useQueryClient();
  const send = useDenial();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const running = useRef<AbortController>(undefined);
  const report = (id: string, outcome: Outcome) => {
    setOutcomes((before) => new Map(before).set(id, outcome));
    if (outcome.kind === 'denied' || outcome.kind === 'answered') dropAnswered(queries, id);
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
        send: async (id) => {
          await send(id, note);
        },
        findAnswer,
        report,
        pause: async (ms) => {
          await pause(ms, signal);
        },
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
function useDenial(): (id: string, note: string) => Promise<void> {
  const queries = useQueryClient();
  const sensitive = useSensitiveCall();
  const actorNow = () => queries.getQueryData(accountQuery.queryKey)?.principal.actor_id;
  const actor = useRef(actorNow());
  return async (id, note) => {
    const key = decisionKey(id, 'denied');
    await sensitive(async () => {
      // A further try never answers for the person who signed in after them.
      if (actorNow() !== actor.current) throw new ApiError(SIGNED_OUT);
      await call('post', '/api/v1/requests/{id}/decision', {
        // A connection that died would otherwise be waited for.
        signal: AbortSignal.timeout(TIMEOUT_MS),
        params: { path: { id }, header: { 'Idempotency-Key': key } },
        body: { status: 'denied', ...(note !== '' && { note }) },
      });
    });
  };
}

const TIMEOUT_MS = 20_000;

/** With the code of the service, so that the app finds out who is signed in now. */
const SIGNED_OUT = {
  status: 401,
  code: 'authentication_required',
  message: requestText.signedOut,
  details: {},
  requestId: undefined,
};

/** Its summary: the request itself may have a megabyte of arguments. */
async function findAnswer(id: string): Promise<Answer | undefined> {
  const query = { view: 'summary', q: id, limit: 1 } as const;
  const { body } = await call('get', '/api/v1/requests', { params: { query } });
  const found = body.requests[0] as Summary | undefined;
  if (found?.id !== id || found.status === 'pending') return undefined;
  const by = found.decision?.reviewer_display_name;
  return { status: found.status, ...(by !== undefined && { by }) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => {
    resolve(undefined);
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  await promise;
  clearTimeout(timer);
}
