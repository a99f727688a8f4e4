/** The queue, and the request that is open next to it. */
import { createRoute, notFound, redirect } from '@tanstack/react-router';
import { validate as isUuid } from 'uuid';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { loadChunk } from '../../shared/browser/new-build.ts';
import { firstChangesQuery } from '../../shared/live/changes.ts';
import { NothingHere } from '../../shared/page/states.tsx';
import { signedInRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { SETUP_SEEN } from '../../shared/session/setup-seen.ts';
import { readSearch } from './queue/queue-search.ts';

const queue = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'queue',
  validateSearch: readSearch,
  beforeLoad: async ({ context: { queries }, cause, search, matches }) => {
    const account = await queries.ensureQueryData(accountQuery);
    if (cause !== 'enter' || !hasPermission(account, 'request.read')) return;
    // While the code of the page is under way.
    void queries.prefetchQuery(firstChangesQuery);
    const { id } = matches.at(-1)?.params as { readonly id?: string };
    // Where a part of an older build is gone, the page is loaded again.
    const data = await loadChunk(import('./queue/queue-data.ts')).catch(() => undefined);
    const { actor_id: actor } = account.principal;
    await data?.readAhead(queries, { actor, search, id: isUuid(id) ? id : undefined });
  },
  component: screen(() => import('./queue/queue-layout.tsx'), 'QueueLayout'),
});

const noRequest = createRoute({
  getParentRoute: () => queue,
  path: WEB_PAGES.queue,
  beforeLoad: async ({ context: { queries } }) => {
    const { onboarding, principal } = await queries.ensureQueryData(accountQuery);
    if (onboarding.required && localStorage.getItem(SETUP_SEEN) !== principal.actor_id)
      throw redirect({ to: '/home' });
  },
  component: screen(() => import('./queue/no-request.tsx'), 'NoRequest'),
});

const request = createRoute({
  getParentRoute: () => queue,
  path: WEB_PAGES.request,
  beforeLoad: ({ params: { id } }) => {
    // The API has other things next to requests at such paths, such as their changes.
    if (!isUuid(id)) throw notFound();
  },
  notFoundComponent: NothingHere,
  component: screen(() => import('./request/request.tsx'), 'Request'),
});

export const requestsRoutes = [queue.addChildren([noRequest, request])] as const;
