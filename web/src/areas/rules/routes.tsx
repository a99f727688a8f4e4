/** Rules: what happens to a request before people are asked. */
import { createRoute } from '@tanstack/react-router';
import { validate as isUuid } from 'uuid';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { rulesRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import type { RulesSearch } from './rules-data.ts';

const rules = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.rules,
  component: screen(() => import('./rules.tsx'), 'Rules'),
});

const agentRules = createRoute({
  getParentRoute: () => rulesRoute,
  path: WEB_PAGES.agentRules,
  validateSearch: ({ from, start }: Record<string, unknown>): RulesSearch => ({
    ...(isUuid(from) && { from: from as string }),
    ...(start === 'coding-agent' && { start }),
  }),
  component: screen(() => import('./rules.tsx'), 'AgentRules'),
});

/** Below the links of rules. */
export const rulesRoutes = [rules, agentRules] as const;
