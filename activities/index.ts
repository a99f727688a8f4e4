/** Everything workflows may call, over one service context. */
import type { ServiceContext } from '../src/services/context.ts';
import { approvalRequestActivities } from './approval-requests.ts';

export function createActivities(context: ServiceContext) {
  return { ...approvalRequestActivities(context) };
}

export type Activities = ReturnType<typeof createActivities>;
