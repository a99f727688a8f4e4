/** The page on which a person gives a program a key. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { signedInRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';

const consent = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.consent,
  component: screen(() => import('./consent.tsx'), 'Consent'),
});

export const oauthRoutes = [consent] as const;
