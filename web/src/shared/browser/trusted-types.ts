/** The one policy of Trusted Types. It lets through the service worker, and threads among the files of the app. */
const WORKER = '/sw.js';
const THREAD = /^\/assets\/[\w-]+\.js$/;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}

/** Not in all browsers that the app supports. */
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };

const policy = trustedTypes?.createPolicy('countersign', {
  createScriptURL: (url) => {
    if (url !== WORKER && !THREAD.test(url))
      throw new TypeError(`The policy does not let through ${url}.`);
    return url;
  },
});

/** The registered service worker, which shows push messages. */
export async function startWorker(): Promise<ServiceWorkerRegistration> {
  const url = (policy?.createScriptURL(WORKER) ?? WORKER) as string;
  await navigator.serviceWorker.register(url, { updateViaCache: 'none' });
  return await navigator.serviceWorker.ready;
}

/** A thread. `url`: of its file. */
export const startThread = (url: string): Worker =>
  new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module' });
