/** Everything workflows may call, over one service context. */
import type { AppContext } from '../src/services/context.ts';
import { approvalRequestActivities } from './approval-requests.ts';

export function createActivities(context: AppContext) {
  return { ...approvalRequestActivities(context) };
}

export type Activities = ReturnType<typeof createActivities>;
