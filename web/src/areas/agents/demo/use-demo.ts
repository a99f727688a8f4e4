/** Acts as the demo agent while the page is open. Its credential is in a variable of the page, and is gone with it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { pauseMs, withJitter } from '../../../shared/api/retries.ts';
import { pause } from '../../../shared/browser/online.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import {
  askCall,
  callAsAgent,
  listCall,
  readCall,
  waitCall,
  withdrawCall,
  type AgentCall,
  type AgentRequest,
  type Reply,
} from './agent-calls.ts';
import {
  BEGINNING,
  isOk,
  isPassing,
  openRequests,
  withCall,
  withRequest,
  type Course,
} from './course.ts';
import { demoQuery, startDemo } from './demo-data.ts';

type Change = (course: Course) => Course;

interface Agent {
  readonly token: string;
  readonly signal: AbortSignal;
  readonly change: (change: Change) => void;
}

/** Calls until the service responds to it. */
async function send(call: AgentCall, { change, ...agent }: Agent): Promise<Reply> {
  for (let failures = 0; ; failures += 1) {
    const reply = await callAsAgent(call, agent);
    change((course) => withCall(course, call, reply));
    if (!isPassing(reply)) return reply;
    change((course) => ({ ...course, state: 'retrying' }));
    await pause(withJitter(pauseMs(failures, reply.retryAfterSeconds)), agent.signal);
    agent.signal.throwIfAborted();
  }
}

/** From the first call to the decision. Goes on with a request that is still open. */
async function play(agent: Agent, amount: string): Promise<void> {
  const { change } = agent;
  const found = openRequests(await send(listCall, agent))[0];
  const payment = `pay_${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36) ?? '1'}`;
  const key = `demo-${payment}`;
  if (found) change((course) => ({ ...course, isResumed: true }));
  let reply = await send(found ? readCall(found.id) : askCall({ payment, amount }, key), agent);
  while (isOk(reply)) {
    const request = reply.body as AgentRequest;
    change((course) => withRequest(course, request));
    if (request.status !== 'pending') return;
    reply = await send(waitCall(request.id), agent);
  }
  change((course) => ({ ...course, state: 'lost' }));
}

export function useDemo() {
  const queries = useQueryClient();
  const token = useRef<string>(undefined);
  const running = useRef<AbortController>(undefined);
  const acting = useRef<Agent>(undefined);
  const [course, setCourse] = useState<Course>();
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
  }, []);
  useEffect(() => stop, [stop]);

  const begin = (held: string, amount: string) => {
    stop();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setCourse(BEGINNING);
    const change = (next: Change) => {
      if (!signal.aborted) setCourse((before) => next(before ?? BEGINNING));
    };
    acting.current = { token: held, signal, change };
    play(acting.current, amount).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  const isLost = course?.state === 'lost';
  const run = useSensitiveMutation({
    mutationFn: async (amount: string) => {
      if (token.current === undefined || isLost) {
        token.current = await startDemo();
        await queries.invalidateQueries({ queryKey: demoQuery.queryKey });
      }
      begin(token.current, amount);
    },
  });
  const withdraw = useMutation({
    mutationFn: async (id: string) => {
      if (acting.current) await send(withdrawCall(id), acting.current);
    },
  });
  return { course, run, withdraw };
}
