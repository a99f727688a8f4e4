/** What the pages of channels read and send. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import { listPages } from '../../shared/api/lists.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type Channel = components['schemas']['WatchedNotificationChannel'];
export type ChannelTest = components['schemas']['NotificationTest'];
export type ChannelKind = Channel['kind'];
type Kinds = Awaited<ReturnType<typeof readChannels>>['kinds'];
export type Readiness = Kinds[number];

const POLL_MS = 15_000;

async function readChannels(query: { readonly cursor?: string }, signal: AbortSignal) {
  const init = { params: { query }, headers: BACKGROUND, signal };
  return (await call('get', '/api/v1/notification_channels', init)).body;
}

export const channelsQuery = {
  ...listPages({ name: ['channels', 'list'], read: readChannels }),
  refetchInterval: POLL_MS,
};

/** The first fifty, for filters that name a channel. */
export const firstChannelsQuery = queryOptions({
  queryKey: ['channels', 'first'],
  queryFn: async ({ signal }) => (await readChannels({}, signal)).notification_channels,
  staleTime: 30_000,
});

export const readChannelsAgain = async (queries: QueryClient): Promise<void> => {
  await queries.invalidateQueries({ queryKey: ['channels'] });
};

export interface WebhookFields {
  readonly name: string;
  readonly url: string;
  readonly include_arguments: boolean;
}

/** Returns the signing secret apart: it goes into no cache. */
export async function createChannel(fields: WebhookFields) {
  const body = { kind: 'webhook' as const, ...fields };
  const { signing_secret: secret, notification_channel: channel } = (
    await call('post', '/api/v1/notification_channels', { body })
  ).body;
  return { secret, result: channel };
}

export interface ChannelChange extends Partial<WebhookFields> {
  readonly id: string;
  readonly enabled?: boolean;
}

export async function changeChannel({ id, ...body }: ChannelChange): Promise<void> {
  await call('patch', '/api/v1/notification_channels/{id}', { params: { path: { id } }, body });
}

export async function deleteChannel(id: string): Promise<void> {
  await call('delete', '/api/v1/notification_channels/{id}', { params: { path: { id } } });
}

export async function testChannel(id: string): Promise<ChannelTest> {
  const params = { path: { id } };
  return (await call('post', '/api/v1/notification_channels/{id}/test', { params })).body;
}

interface Rotation {
  readonly id: string;
  /** Undefined: the old secret stops at once. */
  readonly overlap: string | undefined;
}

export async function rotateSecret({ id, overlap }: Rotation) {
  const init = {
    params: { path: { id } },
    body: overlap === undefined ? {} : { overlap },
  };
  const { signing_secret: secret, ...result } = (
    await call('post', '/api/v1/notification_channels/{id}/rotate_secret', init)
  ).body;
  return { secret, result };
}
