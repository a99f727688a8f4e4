/** Starts the workflow of a request that was just created. */
import {
  isTerminal,
  type ApprovalRequest,
  type TerminalState,
} from '../../../domain/requests/approval-requests.ts';
import type { Runtime } from '../../context.ts';
import type { StartOptions } from '../../ports.ts';

/**
 * Returns the final answer if the request got it meanwhile. A start that still waits for its turn is
 * then given up.
 */
export async function startUnlessAnswered(
  { changes, workflows }: Runtime,
  created: ApprovalRequest,
  options: Omit<StartOptions, 'over'> = {},
): Promise<TerminalState | undefined> {
  const over = new AbortController();
  const answers: TerminalState[] = [];
  const unsubscribe = changes.subscribe(created.id, (snapshot) => {
    if (!snapshot || !isTerminal(snapshot.state)) return;
    answers.push(snapshot.state);
    over.abort();
  });
  try {
    await workflows.start(created, { ...options, over: over.signal });
  } catch (error) {
    if (answers.length === 0) throw error;
  } finally {
    unsubscribe();
  }
  return answers[0];
}
