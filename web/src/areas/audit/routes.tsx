/** The audit log. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { settingsRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';
import { readAuditSearch } from './audit-search.ts';

const audit = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.audit),
  validateSearch: readAuditSearch,
  component: screen(() => import('./audit.tsx'), 'Audit'),
});

export const auditRoutes = [audit] as const;
