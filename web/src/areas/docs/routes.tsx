/** The guides, for everyone. Each address shows the page whose id it is. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { docsRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const component = screen(() => import('./docs.tsx'), 'Docs');

const index = createRoute({ getParentRoute: () => docsRoute, path: '/', component });

const guide = createRoute({
  getParentRoute: () => docsRoute,
  path: below(WEB_PAGES.docs, WEB_PAGES.guide),
  component,
});

const guideOfFolder = createRoute({
  getParentRoute: () => docsRoute,
  path: below(WEB_PAGES.docs, WEB_PAGES.guideOfFolder),
  component,
});

export const docsRoutes = [index, guide, guideOfFolder] as const;
