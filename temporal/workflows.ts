/** The services' Workflows port over a Temporal client. */
import { WorkflowNotFoundError, type Client, type WorkflowOptions } from '@temporalio/client';
import type { SearchAttributes } from '@temporalio/common';
import type {
  PlannedWait,
  WorkflowSignal,
  Workflows,
  WorkflowSubject,
} from '../src/services/ports.ts';
import {
  ATTRIBUTE,
  NO_PATH,
  STATUS,
  WORKFLOW_TYPE,
  withoutLacking,
  type Beginning,
  type FinalDecision,
  type Wait,
} from '../src/domain/requests/workflow-contract.ts';
import { within } from './deadline.ts';
import { requestIdOf, workflowIdOf } from './ids.ts';
import { createLane, type LaneCall, type LaneOptions } from './lane.ts';
import type { TemporalLink } from './worker.ts';

const CALL_TIMEOUT_MS = 5_000;
const LISTED_AT_ONCE = 500;

export interface WorkflowsOptions extends LaneOptions {
  readonly link: () => Pick<TemporalLink, 'client' | 'presence' | 'lacking'> | undefined;
  readonly taskQueue: string;
  /** How long a call waits for the server. Default 5 s. */
  readonly callTimeoutMs?: number | undefined;
}

/**
 * Every call rejects at once without a connection, and as soon as the server is known not to
 * respond, also while it waits in the lane.
 */
export function temporalWorkflows({
  link,
  taskQueue,
  callTimeoutMs = CALL_TIMEOUT_MS,
  ...options
}: WorkflowsOptions): Workflows {
  const lane = createLane(options);
  const connected = () => {
    const current = link();
    const client = current?.client();
    if (!current || !client) throw new Error('Temporal is not connected.');
    current.presence.away.throwIfAborted();
    return { client, presence: current.presence };
  };
  const giveUpWhenAway = onceEach((away) => {
    lane.giveUp('away', away.reason);
  });
  const call = async (how: LaneCall, work: (client: Client) => Promise<unknown>): Promise<void> => {
    giveUpWhenAway(connected().presence.away);
    await lane.call(how, async () => {
      const { client, presence } = connected();
      await within(callTimeoutMs, work(client), presence.away);
      presence.heard();
    });
  };
  const startedWith = (wait: PlannedWait | undefined): StartedWith => ({
    taskQueue,
    lacking: link()?.lacking() ?? [],
    ...(wait && { wait: toWait(wait) }),
  });
  return {
    async start(subject, { over, wait } = {}) {
      await call({ kind: 'start', key: startKey(subject.id), signal: over }, (client) =>
        client.workflow.start(WORKFLOW_TYPE, {
          ...startOptions(subject, startedWith(wait)),
          requestEagerStart: true,
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      );
    },
    async signal(requestId, signal, status) {
      const args: [] | [FinalDecision] = status === undefined ? [] : [{ status }];
      // Of two that join, the one with the final decision is sent.
      const how = { kind: 'signal', key: `signal ${requestId}`, join: true } as const;
      let delivered = false;
      await call({ ...how, replace: status !== undefined }, async (client) => {
        delivered = await signalRunning(client, requestId, { signal, args });
      });
      return delivered;
    },
    async ensure(subject, { replace, wait }) {
      const start = startOptions(subject, startedWith(wait));
      if (replace) await call({ kind: 'ensure' }, (client) => replaceRun(client, start));
      else if (wait) await call(waitingCall(subject.id), (client) => wakeOrWait(client, start));
      else await call(stepCall(subject.id), (client) => wakeOrStep(client, start));
    },
    running: () => runningRequests(connected().client, taskQueue),
  };
}

async function* runningRequests(
  client: Client,
  taskQueue: string,
): AsyncGenerator<readonly string[]> {
  const of = `WorkflowType = '${WORKFLOW_TYPE}' and TaskQueue = '${taskQueue}'`;
  const query = `${of} and ExecutionStatus = 'Running'`;
  let ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: LISTED_AT_ONCE })) {
    const id = requestIdOf(workflowId);
    if (id !== undefined) ids.push(id);
    if (ids.length < LISTED_AT_ONCE) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}

const ENSURE = { kind: 'ensure', join: true } as const;
const stepCall = (id: string) => ({ ...ENSURE, key: startKey(id) });
/** The wait of a later call is the newer one. */
const waitingCall = (id: string) => ({ ...ENSURE, key: `wait ${id}`, replace: true });

type Start = ReturnType<typeof startOptions>;

async function replaceRun(client: Client, start: Start): Promise<void> {
  await client.workflow.start(WORKFLOW_TYPE, {
    ...start,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });
}

async function wakeOrStep(client: Client, start: Start): Promise<void> {
  await client.workflow.signalWithStart(WORKFLOW_TYPE, {
    ...start,
    signal: 'changed',
    signalArgs: [],
  });
}

/** Two calls, because a run that begins with a signal makes a step. */
async function wakeOrWait(client: Client, start: Start): Promise<void> {
  const [id] = start.args;
  if (await signalRunning(client, id, { signal: 'changed' })) return;
  await client.workflow.start(WORKFLOW_TYPE, {
    ...start,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

/** False when no workflow is running. */
async function signalRunning(
  client: Client,
  requestId: string,
  { signal, args = [] }: { readonly signal: WorkflowSignal; readonly args?: [] | [FinalDecision] },
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowIdOf(requestId)).signal(signal, ...args);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function toWait({ until, summary, details, path = NO_PATH }: PlannedWait): Wait {
  return { until: until.getTime(), summary, details, path };
}

/** A new workflow begins with a look at its row, so a start has the effect of a signal too. */
const startKey = (requestId: string) => `start ${requestId}`;

/** Calls `act` when a signal is aborted, once for each signal passed to the result. */
function onceEach(act: (signal: AbortSignal) => void): (signal: AbortSignal) => void {
  let last: AbortSignal | undefined;
  return (signal) => {
    if (signal === last) return;
    last = signal;
    signal.addEventListener(
      'abort',
      () => {
        act(signal);
      },
      { once: true },
    );
  };
}

interface StartedWith {
  readonly taskQueue: string;
  readonly wait?: Wait;
  /** Search attributes that the server does not know, and with which it would refuse the start. */
  readonly lacking: readonly string[];
}

function startOptions(subject: WorkflowSubject, { taskQueue, wait, lacking }: StartedWith) {
  const beginning: Beginning = {
    ...(wait && { wait }),
    ...(lacking.length > 0 && { lacking }),
  };
  // The deprecated untyped form: the typed one asks for key objects, and five keywords gain nothing from them.
  const searchAttributes: SearchAttributes = {
    [ATTRIBUTE.organization]: [subject.organizationId],
    [ATTRIBUTE.agent]: [subject.agentSlug],
    [ATTRIBUTE.tool]: [keyword(subject.tool)],
    [ATTRIBUTE.status]: [wait ? STATUS.asked : STATUS.automatic],
    ...(wait && { [ATTRIBUTE.path]: [wait.path] }),
  };
  return {
    taskQueue,
    workflowId: workflowIdOf(subject.id),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [subject.id, beginning] as [string, Beginning],
    searchAttributes: withoutLacking(searchAttributes, lacking),
    staticSummary: `${unformatted(keyword(subject.tool, 80))} asked by ${subject.agentSlug}`,
  } satisfies WorkflowOptions & { args: unknown[] };
}

/** A keyword attribute holds 255 characters; a summary is one line. */
function keyword(text: string, length = 200): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, length)
    .toWellFormed();
}

/**
 * The Temporal UI renders a summary as Markdown, and the text is from an agent: no links, no
 * markup.
 */
function unformatted(text: string): string {
  return text.replaceAll(/[[\]<>`]/g, ' ');
}
