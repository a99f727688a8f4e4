/** Starts the workflow of a request that was just created. */
import { isTerminal, type TerminalState } from '../../../domain/requests/approval-requests.ts';
import type { Runtime } from '../../context.ts';
import type { StartOptions, WorkflowSubject } from '../../ports.ts';

/** What a start that waits for its turn keeps. A whole request may hold a megabyte. */
export function subjectOf({
  id,
  organizationId,
  agentSlug,
  tool,
}: WorkflowSubject): WorkflowSubject {
  return { id, organizationId, agentSlug, tool };
}

/**
 * Returns the final state if the request was decided meanwhile. A start that still waits for its turn is
 * then given up.
 */
export async function startUnlessAnswered(
  { changes, workflows }: Runtime,
  subject: WorkflowSubject,
  options: Omit<StartOptions, 'over'> = {},
): Promise<TerminalState | undefined> {
  const over = new AbortController();
  const decided: TerminalState[] = [];
  const unsubscribe = changes.subscribe(subject.id, (snapshot) => {
    if (!snapshot || !isTerminal(snapshot.state)) return;
    decided.push(snapshot.state);
    over.abort();
  });
  try {
    await workflows.start(subject, { ...options, over: over.signal });
  } catch (error) {
    if (decided.length === 0) throw error;
  } finally {
    unsubscribe();
  }
  return decided[0];
}
