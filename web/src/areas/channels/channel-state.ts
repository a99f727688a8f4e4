/** How a channel is, from what the service says about it. Pure. */
import type { Channel, Readiness } from './channels-data.ts';

/** `failing`: its last message that was given up came after the last one that arrived. */
export type ChannelState = 'on' | 'off' | 'not_set_up' | 'failing' | 'retrying';

export function stateOf(
  { kind, enabled, recent_messages: recent }: Channel,
  kinds: readonly Readiness[],
): ChannelState {
  if (!enabled) return 'off';
  if (kinds.some((each) => each.kind === kind && !each.configured)) return 'not_set_up';
  const { last_dead_at: dead = '', last_delivered_at: delivered = '' } = recent;
  if (dead !== '' && Date.parse(dead) >= (Date.parse(delivered) || 0)) return 'failing';
  return recent.waiting_count > 0 && recent.last_error !== undefined && recent.dead_count === 0
    ? 'retrying'
    : 'on';
}
