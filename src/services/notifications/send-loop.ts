/** Sends notifications: the kinds of channels are the lanes of their outbox. */
import { v7 } from 'uuid';
import {
  findDueKinds,
  leaseDue,
  loadLeased,
} from '../../data/notifications/notification-deliveries.ts';
import { CHANNEL_KINDS, CHANNELS, type ChannelKind } from '../../domain/channels.ts';
import type { MessageContext } from '../context.ts';
import { LEASE_MS, startOutbox, type Lane, type SendLoop } from '../outbox/send-loop.ts';
import { attempt } from './attempt.ts';
import { openStatements, type SendContext } from './statements.ts';

/** `pollMs`: how often it looks without a reason. */
export function startSending(
  service: MessageContext,
  options: { readonly pollMs?: number } = {},
): SendLoop {
  const context = { ...service, statements: openStatements(service.db) };
  return startOutbox(context, {
    lanes: CHANNEL_KINDS.map((kind) => laneOf(context, kind)),
    findDue: async () => await findDueKinds(context.db),
    // A rule's decision on a request that no person was asked about has no messages.
    mayConcern: (request) => !request?.decision || request.route !== undefined,
    ...options,
  });
}

function laneOf(context: SendContext, kind: ChannelKind): Lane<ChannelKind> {
  const { receiver, ...limits } = CHANNELS[kind].limits;
  return {
    name: kind,
    ...limits,
    oneForAll: receiver === 'one for all channels',
    take: async ({ perReceiver: perChannel, ...wanted }) => {
      const lease = v7();
      const ids = await leaseDue(context.db, {
        ...{ lease, leaseMs: LEASE_MS, kinds: [kind], perChannel },
        ...wanted,
      });
      return (await loadLeased(context.db, { lease, ids })).map((delivery) => ({
        id: delivery.id,
        receiver: delivery.channelId,
        send: async (signal) => (await attempt(context, { lease, delivery }, signal))?.kind,
      }));
    },
  };
}
