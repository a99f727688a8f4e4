/** All pages and their paths. A page loads its code when it is opened. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { validate as isUuid } from 'uuid';
import { WEB_PAGES } from '../../../src/domain/web-pages.ts';
import { ApiError } from '../shared/api/api.ts';
import { firstChangesQuery } from '../shared/live/changes.ts';
import { readSearch } from '../areas/requests/queue/queue-search.ts';
import { loadChunk } from '../shared/browser/new-build.ts';
import { Failed, NotFound, NothingHere, Pending } from '../shared/page/states.tsx';
import { Frame } from './frame.tsx';
import { safeReturnPath } from '../shared/session/return-to.ts';
import {
  accountQuery,
  currentAccount,
  hasPermission,
  keepDraftsOf,
  signInOptionsQuery,
} from '../shared/session/session.ts';

type Below<Parent extends string, Path extends string> = Path extends `${Parent}${infer Rest}`
  ? Rest
  : never;

/** What a route adds to the path of the one around it. */
const below = <Parent extends string, Path extends string>(parent: Parent, path: Path) =>
  path.slice(parent.length) as Below<Parent, Path>;

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

const login = createRoute({
  getParentRoute: () => root,
  path: WEB_PAGES.login,
  validateSearch: ({ return_to: returnTo, error, ended }: Record<string, unknown>) => ({
    ...(typeof returnTo === 'string' && { return_to: safeReturnPath(returnTo) }),
    ...(typeof error === 'string' && { error }),
    // The session ended while a page was open.
    ...(ended === true && { ended }),
  }),
  beforeLoad: async ({ context: { queries }, search }) => {
    const [options, account] = await Promise.all([
      queries.fetchQuery(signInOptionsQuery),
      currentAccount(queries),
    ]);
    if (options.bootstrap_required) throw redirect({ to: '/welcome' });
    // A failed sign-in at the identity provider is explained first.
    if (account && search.error === undefined)
      throw redirect({ href: safeReturnPath(search.return_to) });
    return { options, account };
  },
  component: lazyRouteComponent(() => loadChunk(import('../areas/sign-in/login.tsx')), 'Login'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: WEB_PAGES.welcome,
  beforeLoad: async ({ context: { queries } }) => {
    const options = await queries.fetchQuery(signInOptionsQuery);
    if (!options.bootstrap_required) throw redirect({ to: '/' });
  },
  component: lazyRouteComponent(() => loadChunk(import('../areas/sign-in/welcome.tsx')), 'Welcome'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: WEB_PAGES.forgotPassword,
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/sign-in/forgot-password.tsx')),
    'ForgotPassword',
  ),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: WEB_PAGES.resetPassword,
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/sign-in/reset-password.tsx')),
    'ResetPassword',
  ),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: WEB_PAGES.invitation,
  beforeLoad: async ({ context: { queries } }) => {
    const [options, account] = await Promise.all([
      queries.fetchQuery(signInOptionsQuery),
      currentAccount(queries),
    ]);
    return { options, account };
  },
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/sign-in/invitation.tsx')),
    'Invitation',
  ),
});

/** Set once the guided setup was shown in this tab: then `/` leads to the requests. */
const SETUP_SEEN = 'setup-seen';

const setup = createRoute({
  getParentRoute: () => signedIn,
  path: WEB_PAGES.setup,
  beforeLoad: async ({ context: { queries } }) => {
    const { onboarding } = await queries.ensureQueryData(accountQuery);
    if (!onboarding.required) throw redirect({ to: '/' });
    sessionStorage.setItem(SETUP_SEEN, 'true');
  },
  component: lazyRouteComponent(() => loadChunk(import('../areas/sign-in/setup.tsx')), 'Setup'),
});

const enroll = createRoute({
  getParentRoute: () => signedIn,
  path: WEB_PAGES.enroll,
  validateSearch: ({ code }: Record<string, unknown>) => ({
    ...(typeof code === 'string' && { code: code.trim().toUpperCase() }),
  }),
  component: lazyRouteComponent(() => loadChunk(import('../areas/sign-in/enroll.tsx')), 'Enroll'),
});

const queue = createRoute({
  getParentRoute: () => signedIn,
  id: 'queue',
  validateSearch: readSearch,
  beforeLoad: async ({ context: { queries }, cause, search, matches }) => {
    const account = await queries.ensureQueryData(accountQuery);
    if (cause !== 'enter' || !hasPermission(account, 'request.read')) return;
    // While the code of the page is under way.
    void queries.prefetchQuery(firstChangesQuery);
    const { id } = matches.at(-1)?.params as { readonly id?: string };
    // Where a part of an older build is gone, the page is loaded again.
    const data = await loadChunk(import('../areas/requests/queue/queue-data.ts')).catch(
      () => undefined,
    );
    const { actor_id: actor } = account.principal;
    await data?.readAhead(queries, { actor, search, id: isUuid(id) ? id : undefined });
  },
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/requests/queue/queue-layout.tsx')),
    'QueueLayout',
  ),
});

const noRequest = createRoute({
  getParentRoute: () => queue,
  path: WEB_PAGES.queue,
  beforeLoad: async ({ context: { queries } }) => {
    const { onboarding } = await queries.ensureQueryData(accountQuery);
    if (onboarding.required && sessionStorage.getItem(SETUP_SEEN) === null)
      throw redirect({ to: '/setup' });
  },
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/requests/queue/no-request.tsx')),
    'NoRequest',
  ),
});

const request = createRoute({
  getParentRoute: () => queue,
  path: WEB_PAGES.request,
  beforeLoad: ({ params: { id } }) => {
    // The API has other things beside requests at such paths, such as their changes.
    if (!isUuid(id)) throw notFound();
  },
  notFoundComponent: NothingHere,
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/requests/request/request.tsx')),
    'Request',
  ),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: WEB_PAGES.account,
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/people/account.tsx')),
    'AccountLayout',
  ),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => loadChunk(import('../areas/people/profile.tsx')), 'Profile'),
});

const security = createRoute({
  getParentRoute: () => account,
  path: below(WEB_PAGES.account, WEB_PAGES.security),
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/people/security.tsx')),
    'Security',
  ),
});

const sessions = createRoute({
  getParentRoute: () => account,
  path: below(WEB_PAGES.account, WEB_PAGES.sessions),
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/people/sessions.tsx')),
    'Sessions',
  ),
});

const notifications = createRoute({
  getParentRoute: () => account,
  path: below(WEB_PAGES.account, WEB_PAGES.notifications),
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/notifications/notifications.tsx')),
    'Notifications',
  ),
});

const shortcuts = createRoute({
  getParentRoute: () => account,
  path: below(WEB_PAGES.account, WEB_PAGES.shortcuts),
  component: lazyRouteComponent(
    () => loadChunk(import('../areas/people/shortcuts.tsx')),
    'Shortcuts',
  ),
});

/** People who are signed in keep the header. Others are not asked to sign in for a page that is not. */
const unknownPath = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: async ({ context: { queries } }) => ({ account: await currentAccount(queries) }),
  component: UnknownPath,
});

function UnknownPath() {
  const { account } = unknownPath.useRouteContext();
  if (!account) return <NotFound />;
  return (
    <Frame>
      <NothingHere />
    </Frame>
  );
}

const tree = root.addChildren([
  unknownPath,
  login,
  welcome,
  forgotPassword,
  resetPassword,
  invitation,
  signedIn.addChildren([
    setup,
    enroll,
    queue.addChildren([noRequest, request]),
    account.addChildren([profile, security, sessions, notifications, shortcuts]),
  ]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPendingComponent: Pending,
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
