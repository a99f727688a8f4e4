/** The providers that every page uses. */
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { theme } from '../shared/design/theme.ts';
import { dropFirstAnswers, pageBroughtAnswers } from '../shared/api/first-answers.ts';
import { nextDraw } from '../shared/browser/next-draw.ts';
import { createAppRouter } from './router.tsx';
import { pauseMs, readsAgain, retryAfterOf, withJitter } from '../shared/api/retries.ts';
import { safeReturnPath } from '../shared/session/return-to.ts';
import { accountQuery, watchOtherTabs } from '../shared/session/session.ts';
import { watchSession } from './session-end.ts';

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      session.failed(error, query);
    },
    onSuccess: (_data, query) => {
      session.succeeded(query);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      session.failed(error);
    },
  }),
  defaultOptions: {
    // Without a network a change fails at once. It would otherwise wait, and be sent later unseen.
    mutations: { networkMode: 'always' },
    queries: {
      retry: readsAgain,
      retryDelay: (failures, error) => withJitter(pauseMs(failures, retryAfterOf(error))),
    },
  },
});
const router = createAppRouter(queries);
watchOtherTabs(queries);
const session = watchSession(queries, {
  onEnd: async () => {
    const { href, pathname } = router.state.location;
    // The changes of the queue noticed it first, and the page to come back to is in the address.
    if (pathname === '/login') return;
    await router.navigate({
      to: '/login',
      search: { return_to: safeReturnPath(href), ended: true },
    });
  },
  onSwitch: () => {
    location.reload();
  },
});

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? '';

/** Code that is later must not keep the frame away. What the page brought stays for it. */
const FIRST_PAGE_MS = 300;

/** Reads and loads what the first page shows, before it is drawn. It never rejects: the router shows what failed. */
export async function loadFirstPage(): Promise<void> {
  const loaded = router
    .load()
    .catch(() => undefined)
    .finally(dropFirstAnswers);
  const late = new Promise((resolve) => setTimeout(resolve, FIRST_PAGE_MS));
  await Promise.race([loaded, late]);
}

export function App() {
  useEffect(() => {
    // Another person may have signed in while the page came.
    if (pageBroughtAnswers()) void nextDraw().then(() => queries.invalidateQueries(accountQuery));
  }, []);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
