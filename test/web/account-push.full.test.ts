import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.ts';
import { scene } from '../support/scene.ts';
import { createOrganization, type TestMember } from '../support/scene/factories.ts';
import { createPerson, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { startPushService, type PushBrowser } from '../support/servers/push-service.ts';
import { until } from '../support/waiting.ts';
import { LOOPBACK_ALLOWED } from '../support/servers/webhook-receiver.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import {
  describeInWholeChromium,
  PHONE,
  screenshot,
  startBrowser,
  type TestBrowser,
} from '../support/web/browser.ts';

const service = await startPushService();
const { app, organization } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
      COUNTERSIGN_PUSH_HOSTS: '127.0.0.1',
    },
  },
});
afterAll(() => service.close());
const NOTIFICATIONS = `${app.url}/account/notifications`;

interface Given {
  readonly permission?: 'granted' | 'denied';
  /** The subscription that the browser has, for the key of the service or for an earlier one. */
  readonly before?: 'this key' | 'other key';
}

/**
 * Chromium without a window reaches no push service: the page gets a subscription at ours. It
 * refuses two keys, as browsers do.
 */
async function openWith(
  chromium: TestBrowser,
  browser: PushBrowser,
  as: TestMember,
  { permission = 'granted', before }: Given = {},
): Promise<Page> {
  const page = await chromium.open(`${app.url}/account`, { as });
  await page.addInitScript(
    `globalThis.unsubscribed = 0;
     const make = (hasKey) => ({
       hasKey,
       endpoint: '${browser.subscription.endpoint}',
       toJSON: () => (${JSON.stringify(browser.subscription)}),
       unsubscribe: async () => { subscription = null; unsubscribed += 1; return true; },
     });
     let subscription = ${before === undefined ? 'null' : `make(${before === 'this key'})`};
     Notification.requestPermission = async () => '${permission}';
     PushManager.prototype.getSubscription = async () => subscription;
     PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
       if (!userVisibleOnly || applicationServerKey.length < 80) throw new Error('not as browsers want it');
       if (subscription?.hasKey === false) throw new DOMException('another key', 'InvalidStateError');
       return (subscription ??= make(true));
     };`,
  );
  if (permission === 'granted') await page.context().grantPermissions(['notifications']);
  await page.goto(NOTIFICATIONS);
  return page;
}

/** What the service worker shows. */
const shown = (page: Page) =>
  page.evaluate<{ title: string; tag: string; path: string }[]>(
    `navigator.serviceWorker.ready.then((registration) => registration.getNotifications())
       .then((all) => all.map(({ title, tag, data }) => ({ title, tag, path: data.path })))`,
  );

/** As the push service does, through the protocol of the developer tools. */
async function deliver(page: Page, payload: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registrationId = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: app.url,
    registrationId: await registrationId,
    data: payload,
  });
  await devtools.detach();
}

const untilShown = (page: Page, count: number) =>
  until(`${count} notifications`, async () => (await shown(page)).length === count);

/** The path that a click on the notification of this tag opens. Chromium opens windows for real clicks alone. */
const openedBy = (page: Page, tag: string) =>
  page
    .context()
    .serviceWorkers()[0]
    ?.evaluate<string>(
      `new Promise((resolve) => {
         clients.openWindow = async (path) => resolve(path);
         registration.getNotifications({ tag: '${tag}' }).then(([notification]) =>
           dispatchEvent(new NotificationEvent('notificationclick', { notification })));
       })`,
    );

describeInWholeChromium('push messages', () => {
  const chromium = startBrowser({ refusals: [501], isWhole: true });

  test('are switched on for this browser, tested, shown by the service worker and switched off', async () => {
    const ada = await createPerson(app, organization.id, { displayName: 'Ada Marsh' });
    const browser = service.browser();
    const page = await openWith(chromium, browser, ada);
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('This browser now receives push messages.').waitFor();
    await page.getByText('This browser', { exact: true }).waitFor();
    await screenshot(page, 'account-push');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: /^Send a test message to/ }).click();
    await page.getByText('Test message sent.').waitFor();
    const [message] = service.messagesOf(browser);
    await deliver(page, JSON.stringify(message));
    await untilShown(page, 1);
    expect(await shown(page)).toEqual([
      { title: 'Test message from Countersign', tag: '', path: '/' },
    ]);

    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByText('The browser no longer receives push messages.').waitFor();
    await page.getByRole('button', { name: 'Notify me in this browser' }).waitFor();
    const left = await ada.browser.get('/api/v1/me/push_subscriptions');
    expect(left.body['push_subscriptions']).toEqual([]);
  });

  test('about a request replace each other, and open its page', async () => {
    const bob = await createPerson(app, organization.id, { displayName: 'Bob Field' });
    const page = await openWith(chromium, service.browser(), bob);
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('This browser now receives push messages.').waitFor();
    const request_id = randomUUID();
    for (const title of ['bot asks to run refund', 'bot still asks to run refund'])
      await deliver(page, JSON.stringify({ request_id, title, url: 'https://evil.example/' }));
    await until('the later message', async () => {
      const [first] = await shown(page);
      return first?.title === 'bot still asks to run refund';
    });
    expect(await shown(page)).toEqual([
      { title: 'bot still asks to run refund', tag: request_id, path: `/requests/${request_id}` },
    ]);
    expect(await openedBy(page, request_id)).toBe(`/requests/${request_id}`);
    await untilShown(page, 0);
    await deliver(page, 'not JSON');
    await untilShown(page, 1);
    expect(await shown(page)).toEqual([{ title: 'Countersign', tag: '', path: '/' }]);
  });

  test('that the service does not accept leave the subscription from before, and no new one', async () => {
    const dan = await createPerson(app, organization.id, { displayName: 'Dan Reed' });
    for (const [before, dropped] of [
      ['this key', 0],
      [undefined, 1],
    ] as const) {
      const page = await openWith(chromium, service.browser(), dan, { ...(before && { before }) });
      await page.route('**/me/push_subscriptions', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      );
      await page.getByRole('button', { name: 'Notify me in this browser' }).click();
      await page.getByText('The service did not respond.').waitFor();
      expect([before, await page.evaluate('unsubscribed')]).toEqual([before, dropped]);
    }
    expect(chromium.problems.splice(0)).toHaveLength(2);
  });

  test('replace a subscription for an earlier key of the service', async () => {
    const eli = await createPerson(app, organization.id, { displayName: 'Eli Stone' });
    const page = await openWith(chromium, service.browser(), eli, { before: 'other key' });
    await page.getByRole('button', { name: 'Notify me in this browser' }).click();
    await page.getByText('This browser now receives push messages.').waitFor();
    expect(await page.evaluate('unsubscribed')).toBe(1);
  });

  test('say why this browser cannot get them', async () => {
    const cleo = await createPerson(app, organization.id, { displayName: 'Cleo Sand' });
    const refused = await openWith(chromium, service.browser(), cleo, { permission: 'denied' });
    await refused.getByRole('button', { name: 'Notify me in this browser' }).click();
    await refused.getByText('You did not allow this browser').waitFor();
    for (const [script, words] of [
      [`delete window.PushManager`, 'does not support push messages'],
      [
        `delete window.PushManager;
         Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (iPhone)' });`,
        'add Countersign to the home screen first',
      ],
      [
        `Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`,
        'You blocked notifications from this site',
      ],
    ] as const) {
      const page = await chromium.open(`${app.url}/account`, { as: cleo, viewport: PHONE });
      await page.addInitScript(script);
      await page.goto(NOTIFICATIONS);
      await page.getByText(words).waitFor();
      expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    }
    await screenshot(refused, 'account-push-refused');
  });

  test('are not offered where the service has no secrets key', async () => {
    const bare = await startApp();
    const { owner } = await createOrganization(bare);
    const page = await chromium.open(`${bare.url}/account/notifications`, { as: owner });
    await page.getByText('Push messages are not set up.').waitFor();
    await bare.close();
  });
});
