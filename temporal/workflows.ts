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
import type { TemporalLink } from './worker.ts';

const CALL_TIMEOUT_MS = 5_000;

/**
 * Every call rejects at once without a connection, and as soon as the server is known not to
 * answer.
 */
export function temporalWorkflows(
  link: () => Pick<TemporalLink, 'client' | 'presence'> | undefined,
  taskQueue: string,
): Workflows {
  const call = async (work: (client: Client) => Promise<unknown>): Promise<void> => {
    const current = link();
    const client = current?.client();
    if (!current || !client) throw new Error('Temporal is not connected.');
    current.presence.away.throwIfAborted();
    await within(CALL_TIMEOUT_MS, work(client), current.presence.away);
    current.presence.heard();
  };
  return {
    async start(subject) {
      const options = {
        ...startOptions(subject, taskQueue),
        requestEagerStart: true,
        workflowIdConflictPolicy: 'USE_EXISTING',
      } as const;
      await call((client) => client.workflow.start(WORKFLOW_TYPE, options));
    },
    async signal(requestId, signal) {
      try {
        await call((client) => client.workflow.getHandle(workflowIdOf(requestId)).signal(signal));
      } catch (error) {
        // Normal: the workflow has just seen the final row and completed.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    async ensure(subject, { replace }) {
      const options = startOptions(subject, taskQueue);
      if (replace) {
        await call((client) =>
          client.workflow.start(WORKFLOW_TYPE, {
            ...options,
            workflowIdConflictPolicy: 'TERMINATE_EXISTING',
          }),
        );
      } else {
        await call((client) =>
          client.workflow.signalWithStart(WORKFLOW_TYPE, {
            ...options,
            signal: 'changed',
            signalArgs: [],
          }),
        );
      }
    },
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
