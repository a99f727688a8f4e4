/** A duration as people say it. */
import { parseDuration } from '../../../../../src/domain/durations.ts';
import { durationText } from '../../../shared/text/times.ts';

/** What is no duration stays as it was written. */
export function waitText(duration: string): string {
  const ms = parseDuration(duration);
  return ms === undefined || !Number.isFinite(ms) ? duration : durationText(ms / 1_000);
}
