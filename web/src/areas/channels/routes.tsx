/** How the organization sends notifications, and what became of them. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { settingsRoute } from '../../shared/routes/parents.ts';
import { readDeliveriesSearch } from './deliveries/deliveries-search.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const channels = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.channels),
  component: screen(() => import('./list/channels.tsx'), 'Channels'),
});

const deliveries = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.deliveries),
  validateSearch: readDeliveriesSearch,
  component: screen(() => import('./deliveries/deliveries.tsx'), 'Deliveries'),
});

const slack = createRoute({
  getParentRoute: () => settingsRoute,
  path: below('/settings', WEB_PAGES.slack),
  component: screen(() => import('./slack/slack.tsx'), 'SlackPage'),
});

/** Below the settings. */
export const channelsRoutes = [channels, deliveries, slack] as const;
