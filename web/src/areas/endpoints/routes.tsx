/** Webhook endpoints: the systems that rules ask. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { listSearch } from '../../shared/routes/list-search.ts';
import { rulesRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { readEndpointSearch } from './endpoints-search.ts';

const endpoints = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.endpoints,
  validateSearch: listSearch('archived'),
  component: screen(() => import('./list/endpoints.tsx'), 'Endpoints'),
});

const endpoint = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.endpoint,
  validateSearch: readEndpointSearch,
  component: screen(() => import('./endpoint/endpoint-page.tsx'), 'EndpointPage'),
});

/** Below the links of rules. */
export const endpointsRoutes = [endpoints, endpoint] as const;
