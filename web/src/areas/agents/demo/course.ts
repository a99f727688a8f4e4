/** The course of a run: what the agent sent and what it knows. Pure. */
import type { AgentCall, AgentRequest, Reply } from './agent-calls.ts';

export interface MadeCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** What the response says: the status of the request, or a code. */
  readonly says: string | undefined;
  /** How often in a row, with the same response. */
  readonly times: number;
}

export interface Course {
  readonly calls: readonly MadeCall[];
  /** Absent until the service has it. */
  readonly request?: AgentRequest;
  /** An earlier page made the request. */
  readonly isResumed: boolean;
  /** `lost`: the service no longer accepts the agent. */
  readonly state: 'asking' | 'waiting' | 'retrying' | 'decided' | 'lost';
}

export const BEGINNING: Course = { calls: [], isResumed: false, state: 'asking' };

/** The newest ones are shown. */
const MOST_CALLS = 50;

/** With a call and its response. */
export function withCall(course: Course, { method, path }: AgentCall, reply: Reply): Course {
  const made = { method, path, status: reply.status, says: saidBy(reply.body) };
  const last = course.calls.at(-1);
  const isSame =
    last?.method === method &&
    last.path === path &&
    last.status === made.status &&
    last.says === made.says;
  const before = isSame ? course.calls.slice(0, -1) : course.calls;
  const times = isSame ? last.times + 1 : 1;
  return { ...course, calls: [...before, { ...made, times }].slice(-MOST_CALLS) };
}

interface Said {
  readonly status?: string;
  readonly requests?: readonly Pick<AgentRequest, 'id'>[];
  readonly error?: { readonly code?: string };
}

function saidBy(body: unknown): string | undefined {
  const { status, requests, error } = (body ?? {}) as Said;
  if (requests) return `${requests.length} pending`;
  return error?.code ?? status;
}

export const isOk = ({ status }: Reply): boolean => status >= 200 && status < 300;

/** Another try may help: there was no response, too many calls, or a failure of the service. */
export const isPassing = ({ status }: Reply): boolean =>
  status === 0 || status === 429 || status >= 500;

export const withRequest = (course: Course, request: AgentRequest): Course => ({
  ...course,
  request,
  state: request.status === 'pending' ? 'waiting' : 'decided',
});

export const openRequests = (reply: Reply): readonly Pick<AgentRequest, 'id'>[] =>
  (reply.body as Said | undefined)?.requests ?? [];
