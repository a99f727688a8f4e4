/** Where those who manage begin. */
import { createRoute, redirect } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { signedInRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { accountQuery } from '../../shared/session/session.ts';
import { SETUP_SEEN } from '../../shared/session/setup-seen.ts';
import { readHomeSearch } from './home-search.ts';

const home = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.home,
  validateSearch: readHomeSearch,
  beforeLoad: async ({ context: { queries } }) => {
    const { principal } = await queries.ensureQueryData(accountQuery);
    localStorage.setItem(SETUP_SEEN, principal.actor_id);
  },
  component: screen(() => import('./home.tsx'), 'Home'),
});

/** The setup had a separate page. */
const setup = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.setup,
  beforeLoad: () => {
    throw redirect({ to: '/home', search: { setup: true }, replace: true });
  },
});

export const homeRoutes = [home, setup] as const;
