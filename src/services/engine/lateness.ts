/** How late due levels are taken. */
import type { Effects } from '../../domain/requests/engine/effects.ts';
import type { Runtime } from '../context.ts';

/** For what was just committed. Without a step that was due, there is nothing to observe. */
export function observeLevel(
  { metrics }: Pick<Runtime, 'metrics'>,
  { view, steps }: Effects,
): void {
  const { nextAt, state } = view.request;
  if (steps.length === 0 || state !== 'pending' || nextAt === undefined) return;
  metrics.levelTaken(Math.max(0, view.now.getTime() - nextAt.getTime()));
}
