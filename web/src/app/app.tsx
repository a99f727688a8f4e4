/** The providers that every page uses. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createAppRouter } from './router.tsx';
import { pauseMs, readsAgain, retryAfterOf, withJitter } from '../shared/api/retries.ts';
import { safeReturnPath } from '../shared/session/return-to.ts';
import { watchOtherTabs } from '../shared/session/session.ts';
import { OtherPerson, showOtherPerson, useOtherPerson } from './other-person.tsx';
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
    // Nothing that was typed or returned, such as a password or a key, stays after the page that sent it.
    mutations: { networkMode: 'always', gcTime: 0 },
    queries: {
      retry: readsAgain,
      retryDelay: (failures, error) => withJitter(pauseMs(failures, retryAfterOf(error))),
    },
  },
});
const router = createAppRouter(queries);
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
  onSwitch: showOtherPerson,
});
watchOtherTabs(queries, { onSwitch: showOtherPerson, onNews: session.look });

export function App() {
  const other = useOtherPerson();
  if (other) return <OtherPerson account={other} />;
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
