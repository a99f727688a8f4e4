/** Push messages to this browser: whether it can get them, and its subscription. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import { startWorker } from '../../shared/browser/trusted-types.ts';

export type Device = components['schemas']['PushSubscription'];

/** What keeps this browser from getting push messages. */
type Obstacle = 'insecure' | 'home_screen' | 'unsupported' | 'denied';

export function obstacle(): Obstacle | undefined {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return isAppleTouchDevice() ? 'home_screen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** iPads call themselves Macs. */
const isAppleTouchDevice = (): boolean =>
  /\b(?:iPhone|iPad)\b/.test(navigator.userAgent) ||
  (/\bMacintosh\b/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export const devicesQuery = queryOptions({
  queryKey: ['push-subscriptions'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/me/push_subscriptions', { signal })).body.push_subscriptions,
});

/** The key with which this service signs messages, or undefined where it cannot send any. */
export const pushKeyQuery = queryOptions({
  queryKey: ['push-key'],
  staleTime: Infinity,
  queryFn: async ({ signal }) => {
    try {
      return (await call('get', '/api/v1/push/key', { signal })).body.public_key;
    } catch (error) {
      if (error instanceof ApiError && error.status === 501) return null;
      throw error;
    }
  },
});

/** False where the person does not allow notifications. */
export async function subscribe(key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { pushManager } = await startWorker();
  const before = await pushManager.getSubscription();
  const subscription = await subscribeWith(pushManager, key);
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  try {
    await call('post', '/api/v1/me/push_subscriptions', {
      body: { endpoint, keys: { p256dh, auth } },
    });
  } catch (error) {
    // The service may know the one from before, and still send to it.
    if (before?.endpoint !== endpoint) await subscription.unsubscribe();
    throw error;
  }
  return true;
}

/** Gives the subscription that the browser has, where it is for this key. */
async function subscribeWith(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error;
    // One for an earlier key of the service gets nothing any more, and a browser has only one.
    await (await manager.getSubscription())?.unsubscribe();
    return await manager.subscribe(options);
  }
}

export async function removeDevice({ id, current }: Device): Promise<void> {
  await call('delete', '/api/v1/me/push_subscriptions/{id}', { params: { path: { id } } });
  if (!current || obstacle() !== undefined) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

export const testDevice = async ({ id }: Device) =>
  (await call('post', '/api/v1/me/push_subscriptions/{id}/test', { params: { path: { id } } }))
    .body;
