/** The sender for each kind of channel. */
import type { ChannelKind } from '../../domain/channels.ts';
import { pushSender } from './push.ts';
import { slackSender } from './slack/sender.ts';
import { emailSender } from './email.ts';
import type { ChannelSender } from './sender.ts';
import { webhookSender } from './webhook.ts';

export const senders: Readonly<Record<ChannelKind, ChannelSender>> = {
  email: emailSender,
  webhook: webhookSender,
  slack: slackSender,
  push: pushSender,
};
