import { expect, test } from '@jest/globals';
import { isPushService } from '../../../src/domain/notifications/push-services.ts';

test.each([
  'https://fcm.googleapis.com/fcm/send/a:b',
  'https://updates.push.services.mozilla.com/wpush/v2/a',
  'https://web.push.apple.com/a',
  'https://wns2-par02p.notify.windows.com/w/?token=a',
])('%s is a push service of a browser', (url) => {
  expect(isPushService(url, [])).toBe(true);
});

test('a host that the deployment adds is one, and no other host is', () => {
  expect(isPushService('https://Push.example/a', ['PUSH.example'])).toBe(true);
  expect(isPushService('https://a.push.example/a', ['push.example'])).toBe(false);
  expect(isPushService('https://push.example/a', [])).toBe(false);
  expect(isPushService('https://notify.windows.com.example/a', [])).toBe(false);
  expect(isPushService('no url', ['push.example'])).toBe(false);
});
