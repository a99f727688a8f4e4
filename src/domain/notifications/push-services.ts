/** Where browsers get their push messages. A subscription names its service, and could name any host. */

/** Of Chrome, Edge on Android and Samsung; Firefox; Safari; Edge on Windows. A dot begins the names below. */
const KNOWN = [
  'fcm.googleapis.com',
  'android.googleapis.com',
  '.push.services.mozilla.com',
  '.push.apple.com',
  '.notify.windows.com',
  '.wns.windows.com',
];

/** `added`: host names of the deployment, such as `push.example.com`. Subscriptions are posted to no other host. */
export function isPushService(url: string, added: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/\.$/, '');
  return (
    KNOWN.some((known) => (known.startsWith('.') ? host.endsWith(known) : host === known)) ||
    added.some((each) => each.toLowerCase() === host)
  );
}
