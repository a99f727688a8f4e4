/** The tone in which the state of a channel is told. */
import type { StateTone } from '../../../shared/design/marks/badge.tsx';
import type { ChannelState } from '../channel-state.ts';

export const CHANNEL_TONES: Readonly<Record<ChannelState, StateTone>> = {
  on: 'good',
  off: 'plain',
  not_set_up: 'warn',
  failing: 'danger',
  retrying: 'warn',
};
