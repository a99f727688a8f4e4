/** A batch of invitations while it is sent. Links with their secrets stay in this component's state. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { pause } from '../../../shared/browser/online.ts';
import { useSensitiveCall } from '../../../shared/session/recent-authentication.tsx';
import { invite, readInvitationsAgain, type Offer } from './invitations-data.ts';
import { sendEach, type Outcome } from './send-each.ts';

export type Outcomes = ReadonlyMap<string, Outcome>;

/** Where the deployment sends no email. */
export interface Link {
  readonly email: string;
  readonly url: string;
}

interface Batch {
  readonly emails: readonly string[];
  readonly offer: Offer;
}

export const isSettled = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'sent' || outcome?.kind === 'known';

export function useSending() {
  const queries = useQueryClient();
  const sensitive = useSensitiveCall();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [links, setLinks] = useState<readonly Link[]>([]);
  const running = useRef<AbortController>(undefined);
  // Leaving the page stops it: no invitation goes out that no one sees.
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );
  const report = (email: string, outcome: Outcome) => {
    setOutcomes((before) => new Map(before).set(email, outcome));
  };
  const run = useMutation({
    networkMode: 'always',
    mutationFn: async ({ emails, offer }: Batch) => {
      const { signal } = (running.current = new AbortController());
      setOutcomes((before) => {
        const left = emails.map((email) => [email, { kind: 'waiting' }] as const);
        return new Map<string, Outcome>([...before, ...left]);
      });
      await sendEach({
        emails,
        send: async (email) => {
          const url = await sensitive(async () => await invite(email, offer));
          if (url !== undefined) setLinks((before) => [...before, { email, url }]);
        },
        report,
        pause: async (seconds) => {
          await pause(seconds * 1_000, signal);
        },
        signal,
      });
    },
    onSettled: async () => {
      await readInvitationsAgain(queries);
    },
  });
  return {
    outcomes,
    links,
    /** Once the person has stored them. */
    forgetLinks: () => {
      setLinks([]);
    },
    /** Another batch. */
    begin: () => {
      setOutcomes(new Map());
      run.reset();
    },
    isRunning: run.isPending,
    /** What stopped all of them. */
    error: run.error,
    start: run.mutate,
    stop: () => {
      running.current?.abort();
    },
  };
}

export type SendingState = ReturnType<typeof useSending>;
