/** Where the frame leads. An entry is shown to people who may open its page. */
import type { LinkProps } from '@tanstack/react-router';
import { hasPermission, type Account } from '../shared/session/session.ts';
import { navigation as text } from '../shared/text/navigation.ts';

export interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly permission: string;
  /** Another one with which its page shows something. */
  readonly orElse?: string;
  /** The paths at which it is the current one, each with a slash at its end. */
  readonly covers: RegExp;
}

/** Next to the page title of rules: what belongs to them has its own pages. */
const RULES = [
  {
    to: '/rules',
    label: text.rules,
    permission: 'pipeline.read',
    covers: /^\/(rules|agents\/[^/]+\/rules)\//,
  },
  {
    to: '/paths',
    label: text.paths,
    permission: 'escalation_path.read',
    covers: /^\/(paths|teams\/[^/]+\/policy)\//,
  },
  {
    to: '/endpoints',
    label: text.endpoints,
    permission: 'webhook.read',
    covers: /^\/endpoints\//,
  },
  {
    to: '/presentations',
    label: text.presentations,
    permission: 'agent.read',
    covers: /^\/presentations\//,
  },
] as const satisfies readonly Place[];

/** Of people, too. */
const PEOPLE = [
  {
    to: '/people',
    label: text.members,
    permission: 'membership.read',
    covers: /^\/people\/(?!invitations\/)/,
  },
  {
    to: '/people/invitations',
    label: text.invitations,
    permission: 'membership.invite',
    covers: /^\/people\/invitations\//,
  },
  {
    to: '/teams',
    label: text.teams,
    permission: 'team.read',
    covers: /^\/teams\/(?![^/]+\/policy\/)/,
  },
] as const satisfies readonly Place[];

const allowed = <Each extends Place>(account: Account, places: readonly Each[]): readonly Each[] =>
  places.filter(({ permission, orElse = permission }) =>
    [permission, orElse].some((each) => hasPermission(account, each)),
  );

export const rulesPlaces = (account: Account): readonly Place[] => allowed(account, RULES);

export const peoplePlaces = (account: Account): readonly Place[] => allowed(account, PEOPLE);

/** The sections of the settings, in the order of their list. */
const SETTINGS: readonly Place[] = [
  {
    to: '/settings',
    label: text.organization,
    permission: 'organization.read',
    covers: /^\/settings\/$/,
  },
  {
    to: '/settings/channels',
    label: text.channels,
    permission: 'connection.read',
    covers: /^\/settings\/channels\//,
  },
  {
    to: '/settings/slack',
    label: text.slack,
    permission: 'connection.read',
    covers: /^\/settings\/slack\//,
  },
  {
    to: '/settings/deliveries',
    label: text.deliveries,
    permission: 'connection.read',
    covers: /^\/settings\/deliveries\//,
  },
  {
    to: '/settings/keys',
    label: text.keys,
    permission: 'api_key.read',
    orElse: 'api_key.organization.issue',
    covers: /^\/settings\/keys\//,
  },
  {
    to: '/settings/audit',
    label: text.audit,
    permission: 'audit.read',
    // In the open edition no one holds it, and the page says how to export and verify the log.
    orElse: 'organization.settings.write',
    covers: /^\/settings\/audit\//,
  },
  {
    to: '/settings/system',
    label: text.system,
    permission: 'organization.settings.write',
    covers: /^\/settings\/system\//,
  },
];

export const settingsPlaces = (account: Account): readonly Place[] => allowed(account, SETTINGS);

/** Also for those who set the organization up, and may not read it. */
const homeOf = (account: Account): Place => ({
  to: '/home',
  label: text.home,
  permission: account.onboarding.required ? 'organization.settings.write' : 'organization.read',
  covers: /^\/home\//,
});

export function entriesFor(account: Account): readonly Place[] {
  const rules = rulesPlaces(account)[0];
  const people = peoplePlaces(account)[0];
  const settings = settingsPlaces(account)[0];
  return allowed<Place>(account, [
    homeOf(account),
    { to: '/', label: text.requests, permission: 'request.read', covers: /^\/(requests\/|$)/ },
    {
      to: '/agents',
      label: text.agents,
      permission: 'agent.read',
      covers: /^\/(agents\/(?![^/]+\/rules\/)|demo\/)/,
    },
    ...(rules ? [{ ...rules, label: text.rules, covers: OF_RULES }] : []),
    ...(people ? [{ ...people, label: text.people, covers: OF_PEOPLE }] : []),
    ...(settings ? [{ ...settings, label: text.settings, covers: /^\/settings\// }] : []),
  ]);
}

const coversAll = (places: readonly Place[]): RegExp =>
  new RegExp(places.map(({ covers }) => covers.source).join('|'));

const OF_RULES = coversAll(RULES);
const OF_PEOPLE = coversAll(PEOPLE);

/** The path of an address may be written in any case, and with a slash at the end. */
export const isCurrent = ({ covers }: Place, pathname: string): boolean =>
  covers.test(`${pathname.toLowerCase().replace(/\/$/, '')}/`);
