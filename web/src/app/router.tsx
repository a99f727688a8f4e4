/** Joins the routes of all areas. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRoute,
  createRouter,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { agentsRoutes } from '../areas/agents/routes.tsx';
import { auditRoutes } from '../areas/audit/routes.tsx';
import { channelsRoutes } from '../areas/channels/routes.tsx';
import { docsRoutes } from '../areas/docs/routes.tsx';
import { endpointsRoutes } from '../areas/endpoints/routes.tsx';
import { homeRoutes } from '../areas/home/routes.tsx';
import { organizationKeysRoutes, ownKeysRoutes } from '../areas/keys/routes.tsx';
import { notificationsRoutes } from '../areas/notifications/routes.tsx';
import { oauthRoutes } from '../areas/oauth/routes.tsx';
import { pathsRoutes } from '../areas/paths/routes.tsx';
import { accountRoutes } from '../areas/account/routes.tsx';
import { peopleRoutes } from '../areas/people/routes.tsx';
import { presentationsRoutes } from '../areas/presentations/routes.tsx';
import { requestsRoutes } from '../areas/requests/routes.tsx';
import { rulesRoutes } from '../areas/rules/routes.tsx';
import { organizationRoutes } from '../areas/settings/routes.tsx';
import { enrollRoutes, signInRoutes } from '../areas/sign-in/routes.tsx';
import { systemRoutes } from '../areas/system/routes.tsx';
import { Failed, NotFound, NothingHere, Pending } from '../shared/page/states.tsx';
import {
  accountRoute,
  docsRoute,
  peopleRoute,
  rootRoute,
  rulesRoute,
  settingsRoute,
  signedInRoute,
} from '../shared/routes/parents.ts';
import { screen } from '../shared/routes/screen.ts';
import { currentAccount } from '../shared/session/session.ts';
import { Frame } from './frame.tsx';

/** People who are signed in keep the header. Others are not asked to sign in for a page that is not. */
const unknownPath = createRoute({
  getParentRoute: () => rootRoute,
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

signedInRoute.update({ component: Frame });
accountRoute.update({ component: screen(() => import('./account-layout.tsx'), 'AccountLayout') });
docsRoute.update({ component: screen(() => import('./docs-frame.tsx'), 'DocsFrame') });
rulesRoute.update({ component: screen(() => import('./rules-layout.tsx'), 'RulesLayout') });
peopleRoute.update({ component: screen(() => import('./people-layout.tsx'), 'PeopleLayout') });
settingsRoute.update({
  component: screen(() => import('./settings-layout.tsx'), 'SettingsLayout'),
});

const tree = rootRoute.addChildren([
  unknownPath,
  ...signInRoutes,
  docsRoute.addChildren([...docsRoutes]),
  signedInRoute.addChildren([
    ...homeRoutes,
    ...enrollRoutes,
    ...oauthRoutes,
    ...requestsRoutes,
    ...agentsRoutes,
    rulesRoute.addChildren([
      ...rulesRoutes,
      ...pathsRoutes,
      ...endpointsRoutes,
      ...presentationsRoutes,
    ]),
    settingsRoute.addChildren([
      ...organizationRoutes,
      ...channelsRoutes,
      ...organizationKeysRoutes,
      ...auditRoutes,
      ...systemRoutes,
    ]),
    peopleRoute.addChildren([...peopleRoutes]),
    accountRoute.addChildren([...accountRoutes, ...notificationsRoutes, ...ownKeysRoutes]),
  ]),
]);

/** Only what is written again as it was: a client compares the state that it gave character for character. */
function parseUnchanged(text: string): unknown {
  // eslint-disable-next-line no-restricted-syntax -- What it would change is left as text.
  const value: unknown = JSON.parse(text);
  if (JSON.stringify(value) !== text) throw new SyntaxError('would be written in another way');
  return value;
}

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    parseSearch: parseSearchWith(parseUnchanged),
    stringifySearch: stringifySearchWith(JSON.stringify, parseUnchanged),
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
