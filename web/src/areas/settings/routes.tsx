/** The settings of the organization itself. Other areas have their pages below them. */
import { createRoute } from '@tanstack/react-router';
import { settingsRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';

const organization = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: screen(() => import('./organization.tsx'), 'Organization'),
});

/** Below the settings. */
export const organizationRoutes = [organization] as const;
