/** All pages and their paths. A page loads its code when it is opened. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api.ts';
import { Failed, Loading, NotFound } from './states.tsx';
import { Frame } from './frame.tsx';
import { safeReturnPath } from './return-to.ts';
import { accountQuery } from './session.ts';

const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  component: Outlet,
});

/** Pages for people who are signed in. Others sign in first and then come back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Frame,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(accountQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        // TanStack Router expects redirects to be thrown.

        throw redirect({ to: '/login', search: { return_to: location.href } });
      throw error;
    }
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ return_to: returnTo, error }: Record<string, unknown>) => ({
    ...(typeof returnTo === 'string' && { return_to: safeReturnPath(returnTo) }),
    ...(typeof error === 'string' && { error }),
  }),
  component: lazyRouteComponent(() => import('../areas/sign-in/login.tsx'), 'Login'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../areas/sign-in/welcome.tsx'), 'Welcome'),
});

const queue = createRoute({
  getParentRoute: () => signedIn,
  id: 'queue',
  component: lazyRouteComponent(
    () => import('../areas/requests/queue/queue-layout.tsx'),
    'QueueLayout',
  ),
});

const noRequest = createRoute({
  getParentRoute: () => queue,
  path: '/',
  component: lazyRouteComponent(
    () => import('../areas/requests/queue/no-request.tsx'),
    'NoRequest',
  ),
});

const request = createRoute({
  getParentRoute: () => queue,
  path: '/requests/$id',
  component: lazyRouteComponent(() => import('../areas/requests/request.tsx'), 'Request'),
});

const tree = root.addChildren([
  login,
  welcome,
  signedIn.addChildren([queue.addChildren([noRequest, request])]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPendingComponent: Loading,
    defaultErrorComponent: Failed,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
