/** How a person is notified: settings, and the link with Slack. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type NotificationSettings = components['schemas']['OwnNotificationSettings'];
type Wanted = Pick<NotificationSettings, 'email' | 'slack' | 'push' | 'steps'>;
export type Step = components['schemas']['NotificationStep'];
export type Steps = components['schemas']['NotificationSteps'];
export type OwnSlack = components['schemas']['OwnSlack'];

export const settingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/me/notification_settings', { signal })).body,
});

export const slackQuery = queryOptions({
  queryKey: ['own-slack'],
  queryFn: async ({ signal }) => (await call('get', '/api/v1/me/slack', { signal })).body,
});

/** How often a page that shows a command looks whether it arrived. */
const LOOK_MS = 2_000;

/** A poll is no use of the session: a page that is left open ends it when it is idle. */
export const slackPoll = queryOptions({
  ...slackQuery,
  queryFn: async ({ signal }) => {
    return (await call('get', '/api/v1/me/slack', { headers: BACKGROUND, signal })).body;
  },
  refetchInterval: LOOK_MS,
});

/** Changes one setting. The call carries all of them, so changes are sent one after the other. */
export function useSettingChange() {
  const queries = useQueryClient();
  const { queryKey } = settingsQuery;
  return useMutation({
    scope: { id: 'notification-settings' },
    mutationFn: async (change: Partial<Wanted>) => {
      const { body: before } = await call('get', '/api/v1/me/notification_settings');
      const { email, slack, push } = before;
      const body = { email, slack, push, ...change };
      return (await call('put', '/api/v1/me/notification_settings', { body })).body;
    },
    onMutate: async (change) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, (shown) => shown && { ...shown, ...change });
      return { before };
    },
    onSuccess: (saved) => {
      queries.setQueryData(queryKey, saved);
    },
    onError: (_error, _change, context) => {
      queries.setQueryData(queryKey, context?.before);
    },
  });
}

export const beginSlackLink = async () => (await call('post', '/api/v1/me/slack/link')).body;

export async function removeSlackLink(): Promise<void> {
  await call('delete', '/api/v1/me/slack');
}
