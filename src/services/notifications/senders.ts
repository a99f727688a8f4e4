/** Which sender serves which kind of channel. */
import type { ChannelKind } from '../../domain/notifications.ts';
import { slackSender } from '../slack/sender.ts';
import { emailSender } from './email.ts';
import type { ChannelSender } from './sender.ts';

/** Until a kind has its sender. */
const unavailable: ChannelSender = {
  send: () => Promise.resolve({ kind: 'dropped', reason: 'not_configured' }),
  sendTest: () => Promise.resolve({ delivered: false, errorCode: 'not_configured' }),
};

export const senders: Readonly<Record<ChannelKind, ChannelSender>> = {
  email: emailSender,
  webhook: unavailable,
  slack: slackSender,
};
