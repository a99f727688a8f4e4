/** What the page of Slack reads and sends. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../../shared/api/api.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import type { Channel } from '../channels-data.ts';

export type Connection = components['schemas']['SlackConnection'];
export type Slack = Awaited<ReturnType<typeof readSlack>>;
export type SlackApp = Slack['app'];

const POLL_MS = 15_000;

async function readSlack(signal: AbortSignal) {
  return (await call('get', '/api/v1/slack', { headers: BACKGROUND, signal })).body;
}

/** Its key begins as those of the channels: what changes a channel reads this again, too. */
export const slackQuery = queryOptions({
  queryKey: ['channels', 'slack'],
  queryFn: async ({ signal }) => await readSlack(signal),
  refetchInterval: POLL_MS,
});

export const slackChannelQuery = (id: string) =>
  queryOptions({
    queryKey: ['channels', 'one', id],
    queryFn: async ({ signal }): Promise<Channel> => {
      const params = { path: { id } };
      const init = { params, headers: BACKGROUND, signal };
      return (await call('get', '/api/v1/notification_channels/{id}', init)).body
        .notification_channel;
    },
    refetchInterval: POLL_MS,
  });

/** The channel of a workspace that is gone would not be found. */
export async function readSlackAgain(queries: QueryClient): Promise<void> {
  await queries.refetchQueries({ queryKey: slackQuery.queryKey });
  const now = queries.getQueryData(slackQuery.queryKey)?.connection?.channel_id;
  await queries.invalidateQueries({
    queryKey: ['channels'],
    predicate: ({ queryKey: [, kind, id] }) =>
      kind === 'list' || kind === 'first' || (kind === 'one' && id === now),
  });
}

interface SlackTerms {
  /** Absent: the stored one stays. */
  readonly bot_token?: string;
  /** Absent: the stored one stays. */
  readonly signing_secret?: string;
  /** Null: none. */
  readonly default_channel: string | null;
}

export async function connectSlack(body: SlackTerms): Promise<void> {
  await call('put', '/api/v1/slack', { body });
}

export async function disconnectSlack(): Promise<void> {
  await call('delete', '/api/v1/slack');
}

export async function unlinkMember(id: string): Promise<void> {
  await call('delete', '/api/v1/slack/linked_members/{id}', { params: { path: { id } } });
}
