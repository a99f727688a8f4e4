/** API keys: the reader's own, and all of the organization. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { listSearch } from '../../shared/routes/list-search.ts';
import { accountRoute, settingsRoute } from '../../shared/routes/parents.ts';
import { below, screen } from '../../shared/routes/screen.ts';
import { readKeysSearch } from './keys-search.ts';

const ownKeys = createRoute({
  getParentRoute: () => accountRoute,
  path: below(WEB_PAGES.account, WEB_PAGES.ownKeys),
  validateSearch: listSearch('expired', 'revoked'),
  component: screen(() => import('./own/own-keys.tsx'), 'OwnKeys'),
});

const keys = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.keys),
  validateSearch: readKeysSearch,
  component: screen(() => import('./organization/organization-keys.tsx'), 'OrganizationKeys'),
});

const key = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.key),
  component: screen(() => import('./organization/key-page.tsx'), 'KeyPage'),
});

/** Below the account. */
export const ownKeysRoutes = [ownKeys] as const;

/** Below the settings. */
export const organizationKeysRoutes = [keys, key] as const;
