/** A private part of TanStack Router. `test/web/app/library-internals.full.test.ts` fails when an upgrade changes it. */

/**
 * The router reloads the page by itself when the code of a route cannot be loaded, once for each message. This makes it believe that it
 * has done so, because `new-build.ts` decides when a page is loaded again.
 */
export function keepRouterFromReloading({ message }: Error): void {
  sessionStorage.setItem(`tanstack_router_reload:${message}`, '1');
}
