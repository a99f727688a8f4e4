/** Agents, their instances and their tools. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { signedInRoute } from '../../shared/routes/parents.ts';
import { listSearch } from '../../shared/routes/list-search.ts';
import { below, screen } from '../../shared/routes/screen.ts';

const agents = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.agents,
  validateSearch: listSearch('archived'),
  component: screen(() => import('./list/agents.tsx'), 'Agents'),
});

const agent = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.agent,
  component: screen(() => import('./agent/agent.tsx'), 'Agent'),
});

const overview = createRoute({
  getParentRoute: () => agent,
  path: '/',
  component: screen(() => import('./agent/overview.tsx'), 'Overview'),
});

const instances = createRoute({
  getParentRoute: () => agent,
  path: below(WEB_PAGES.agent, WEB_PAGES.agentInstances),
  validateSearch: listSearch('active', 'disabled'),
  component: screen(() => import('./instances/instances.tsx'), 'Instances'),
});

const connect = createRoute({
  getParentRoute: () => agent,
  path: below(WEB_PAGES.agent, WEB_PAGES.agentConnect),
  component: screen(() => import('./connect/connect.tsx'), 'Connect'),
});

const tools = createRoute({
  getParentRoute: () => agent,
  path: below(WEB_PAGES.agent, WEB_PAGES.agentTools),
  validateSearch: listSearch('available', 'unavailable', 'stale'),
  component: screen(() => import('./tools/tools.tsx'), 'Tools'),
});

const activity = createRoute({
  getParentRoute: () => agent,
  path: below(WEB_PAGES.agent, WEB_PAGES.agentActivity),
  component: screen(() => import('./activity/activity.tsx'), 'Activity'),
});

const demo = createRoute({
  getParentRoute: () => signedInRoute,
  path: WEB_PAGES.demo,
  component: screen(() => import('./demo/demo.tsx'), 'Demo'),
});

/** Below the head of one agent. */
const parts = [overview, instances, tools, activity, connect] as const;

export const agentsRoutes = [agents, agent.addChildren(parts), demo] as const;
