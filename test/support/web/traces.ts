/** All that a page keeps and shows, where a secret must not be. */
import type { Page } from 'playwright-core';

/** React keeps its tree at the element it was started on. The caches are those of TanStack Query. */
export const traces = async (page: Page): Promise<string> =>
  await page.evaluate<string>(`{
    const app = document.getElementById('app');
    const [, container] = Object.entries(app).find(([key]) => key.startsWith('__reactContainer$'));
    let fiber = container.stateNode.current;
    while (!fiber.memoizedProps?.client?.getQueryCache) fiber = fiber.child;
    const { client } = fiber.memoizedProps;
    const kept = [client.getQueryCache(), client.getMutationCache()].map((cache) =>
      cache.getAll().map(({ state, queryKey }) => [queryKey, state.data, state.variables]),
    );
    JSON.stringify([
      document.documentElement.outerHTML,
      location.href,
      history.state,
      { ...localStorage },
      { ...sessionStorage },
      ...kept,
    ]);
  }`);
