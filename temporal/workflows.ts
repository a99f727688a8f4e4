/** The services' Workflows port over a Temporal client. */
import { WorkflowNotFoundError, type Client, type WorkflowOptions } from '@temporalio/client';
import type { SearchAttributes } from '@temporalio/common';
import type { Workflows, WorkflowSubject } from '../src/services/ports.ts';
import {
  ATTRIBUTE,
  AUTOMATIC_STATUS,
  WORKFLOW_TYPE,
} from '../workflows/approval-request/contract.ts';
import { within } from './deadline.ts';
import { workflowIdOf } from './ids.ts';
import { createLane, type LaneCall, type LaneOptions } from './lane.ts';
import type { TemporalLink } from './worker.ts';

const CALL_TIMEOUT_MS = 5_000;

export interface WorkflowsOptions extends LaneOptions {
  readonly link: () => Pick<TemporalLink, 'client' | 'presence'> | undefined;
  readonly taskQueue: string;
}

/**
 * Every call rejects at once without a connection, and as soon as the server is known not to
 * answer, also while it waits in the lane.
 */
export function temporalWorkflows({ link, taskQueue, ...options }: WorkflowsOptions): Workflows {
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
      await within(CALL_TIMEOUT_MS, work(client), presence.away);
      presence.heard();
    });
  };
  return {
    async start(subject, { over } = {}) {
      await call({ kind: 'start', key: startKey(subject.id), signal: over }, (client) =>
        client.workflow.start(WORKFLOW_TYPE, {
          ...startOptions(subject, taskQueue),
          requestEagerStart: true,
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      );
    },
    async signal(requestId, signal) {
      try {
        await call({ kind: 'signal', key: `signal ${requestId}`, join: true }, (client) =>
          client.workflow.getHandle(workflowIdOf(requestId)).signal(signal),
        );
      } catch (error) {
        // Normal: the workflow has just seen the final row and completed.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    async ensure(subject, { replace }) {
      const start = startOptions(subject, taskQueue);
      if (replace) {
        await call({ kind: 'ensure' }, (client) =>
          client.workflow.start(WORKFLOW_TYPE, {
            ...start,
            workflowIdConflictPolicy: 'TERMINATE_EXISTING',
          }),
        );
      } else {
        await call({ kind: 'ensure', key: startKey(subject.id), join: true }, (client) =>
          client.workflow.signalWithStart(WORKFLOW_TYPE, {
            ...start,
            signal: 'changed',
            signalArgs: [],
          }),
        );
      }
    },
  };
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

function startOptions(subject: WorkflowSubject, taskQueue: string) {
  // The deprecated untyped form: the typed one asks for key objects, and five keywords gain nothing from them.
  const searchAttributes: SearchAttributes = {
    [ATTRIBUTE.organization]: [subject.organizationId],
    [ATTRIBUTE.agent]: [subject.agentSlug],
    [ATTRIBUTE.tool]: [keyword(subject.tool)],
    [ATTRIBUTE.status]: [AUTOMATIC_STATUS],
  };
  return {
    taskQueue,
    workflowId: workflowIdOf(subject.id),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [subject.id],
    searchAttributes,
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
