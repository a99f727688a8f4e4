/** A workflow with one local activity that does nothing, to measure Temporal's own cost. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { FloorActivities } from './floor.ts';

const { nothing } = proxyLocalActivities<FloorActivities>({ startToCloseTimeout: '10s' });

export async function floor(id: string): Promise<void> {
  await nothing(id);
}
