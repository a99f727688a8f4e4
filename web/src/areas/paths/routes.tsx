/** Escalation paths: who is asked, in which order. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { listSearch } from '../../shared/routes/list-search.ts';
import { rulesRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';

const paths = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.paths,
  validateSearch: listSearch('archived'),
  component: screen(() => import('./paths.tsx'), 'Paths'),
});

const path = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.path,
  component: screen(() => import('./path-page.tsx'), 'PathPage'),
});

const policy = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.teamPolicy,
  component: screen(() => import('./policy/policy-page.tsx'), 'PolicyPage'),
});

/** Below the links of rules. */
export const pathsRoutes = [paths, path, policy] as const;
