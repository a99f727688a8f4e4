/** The floor's workflow: one local activity that does nothing. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { FloorActivities } from './floor.ts';

const { nothing } = proxyLocalActivities<FloorActivities>({ startToCloseTimeout: '10s' });

export async function floor(id: string): Promise<void> {
  await nothing(id);
}
