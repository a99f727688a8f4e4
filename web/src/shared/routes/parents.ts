/**
 * The routes around pages of several areas. `web/src/app/router.tsx` joins all routes, and says what these draw
 * around their pages.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { ApiError } from '../api/api.ts';
import { accountQuery, currentAccount, keepDraftsOf } from '../session/session.ts';

export const rootRoute = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  component: Outlet,
});

/** Pages for people who are signed in. Others sign in first and then come back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    try {
      const account = await context.queries.ensureQueryData(accountQuery);
      keepDraftsOf(account);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        // TanStack Router expects redirects to be thrown.
        throw redirect({ to: '/login', search: { return_to: location.href } });
      throw error;
    }
  },
});

/** The guides are for everyone. People who are signed in keep the frame. */
export const docsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: WEB_PAGES.docs,
  validateSearch: ({ q }: Record<string, unknown>) =>
    typeof q === 'string' && q !== '' ? { q: q.slice(0, 200) } : {},
  beforeLoad: async ({ context: { queries } }) => ({
    // They are there also while the service is not.
    account: await currentAccount(queries).catch(() => undefined),
  }),
});

/** The account of the reader. */
export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.account,
});

/** The settings of the organization. Its first page has this path, the others are below it. */
export const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
});

/** The people of the organization and their teams. No part of a path. */
export const peopleRoute = createRoute({ getParentRoute: () => signedInRoute, id: 'people' });

/** What decides requests: rules, escalation paths and what they use. No part of a path. */
export const rulesRoute = createRoute({ getParentRoute: () => signedInRoute, id: 'rules' });
