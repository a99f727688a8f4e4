/**
 * Shows push messages as notifications, and opens the request that one is about. It caches nothing
 * and answers no fetches.
 */
const worker = globalThis;

const ID = /^[0-9a-f-]{36}$/;

/** Browsers demand a notification for each message, also for one that is not readable. */
const UNREADABLE = { title: 'Countersign', path: '/', tag: undefined };

worker.addEventListener('install', () => {
  worker.skipWaiting();
});

worker.addEventListener('push', (event) => {
  const { title, body, path, tag } = messageOf(event);
  event.waitUntil(
    worker.registration.showNotification(title, {
      ...(body && { body }),
      icon: '/icon-192.png',
      badge: '/icon-192.png',
      data: { path },
      // A later message about the same request takes the place of an earlier one.
      ...(tag && { tag, renotify: true }),
    }),
  );
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

function messageOf({ data }) {
  try {
    const { title, body, request_id: id } = data.json();
    if (typeof title !== 'string' || title === '') return UNREADABLE;
    const text = { title, ...(typeof body === 'string' && { body }) };
    return ID.test(id) ? { ...text, path: `/requests/${id}`, tag: id } : { ...text, path: '/' };
  } catch {
    return UNREADABLE;
  }
}

/** Another page is never led away: someone may be typing there. */
async function open(path) {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = pages.find(({ url }) => url.split(/[?#]/)[0] === worker.location.origin + path);
  if (shown) await shown.focus();
  else await worker.clients.openWindow(path);
}
