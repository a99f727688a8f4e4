/** How calls of tools are shown: built-in presentations, and those of the organization. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { rulesRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { readPresentationsSearch } from './presentations-search.ts';

const presentations = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.presentations,
  validateSearch: readPresentationsSearch,
  component: screen(() => import('./list/presentations.tsx'), 'Presentations'),
});

const presentation = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.presentation,
  validateSearch: readPresentationsSearch,
  component: screen(() => import('./editor/presentation.tsx'), 'Presentation'),
});

/** Below the links of rules. */
export const presentationsRoutes = [presentations, presentation] as const;
