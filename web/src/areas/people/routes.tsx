/** The people of the organization, and their teams. */
import { createRoute } from '@tanstack/react-router';
import { WEB_PAGES } from '../../../../src/domain/web-pages.ts';
import { listSearch } from '../../shared/routes/list-search.ts';
import { peopleRoute } from '../../shared/routes/parents.ts';
import { screen } from '../../shared/routes/screen.ts';
import { readPeopleSearch } from './people-search.ts';

const people = createRoute({
  getParentRoute: () => peopleRoute,
  path: WEB_PAGES.people,
  validateSearch: readPeopleSearch,
  component: screen(() => import('./members/members.tsx'), 'Members'),
});

const person = createRoute({
  getParentRoute: () => peopleRoute,
  path: WEB_PAGES.person,
  component: screen(() => import('./member/member.tsx'), 'Member'),
});

const invitations = createRoute({
  getParentRoute: () => peopleRoute,
  path: WEB_PAGES.invitations,
  validateSearch: listSearch('accepted', 'expired', 'revoked', 'all'),
  component: screen(() => import('./invitations/invitations.tsx'), 'Invitations'),
});

const teams = createRoute({
  getParentRoute: () => peopleRoute,
  path: WEB_PAGES.teams,
  validateSearch: listSearch('archived'),
  component: screen(() => import('./teams/teams.tsx'), 'Teams'),
});

const team = createRoute({
  getParentRoute: () => peopleRoute,
  path: WEB_PAGES.team,
  component: screen(() => import('./team/team.tsx'), 'Team'),
});

/** Below the links of people. */
export const peopleRoutes = [people, person, invitations, teams, team] as const;
