/** The one policy of Trusted Types. It lets through the address of the service worker alone. */
const WORKER = '/sw.js';

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
    if (url !== WORKER) throw new TypeError(`The policy lets through ${WORKER} alone.`);
    return url;
  },
});

/** The registered service worker, which shows push messages. */
export async function startWorker(): Promise<ServiceWorkerRegistration> {
  const url = (policy?.createScriptURL(WORKER) ?? WORKER) as string;
  await navigator.serviceWorker.register(url, { updateViaCache: 'none' });
  return await navigator.serviceWorker.ready;
}
