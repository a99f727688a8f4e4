/**
 * The paths of the web app, once for its router and for the server, which responds to every other path
 * with 404. `$name` is one part of a path.
 */
export const WEB_PAGES = {
  queue: '/',
  home: '/home',
  request: '/requests/$id',
  agents: '/agents',
  agent: '/agents/$slug',
  agentConnect: '/agents/$slug/connect',
  agentInstances: '/agents/$slug/instances',
  agentTools: '/agents/$slug/tools',
  agentActivity: '/agents/$slug/activity',
  demo: '/demo',
  rules: '/rules',
  agentRules: '/agents/$slug/rules',
  paths: '/paths',
  path: '/paths/$pathKey',
  teamPolicy: '/teams/$teamId/policy',
  endpoints: '/endpoints',
  endpoint: '/endpoints/$endpointKey',
  presentations: '/presentations',
  presentation: '/presentations/$id',
  organization: '/settings',
  channels: '/settings/channels',
  slack: '/settings/slack',
  deliveries: '/settings/deliveries',
  keys: '/settings/keys',
  key: '/settings/keys/$id',
  people: '/people',
  person: '/people/$id',
  invitations: '/people/invitations',
  teams: '/teams',
  team: '/teams/$teamId',
  login: '/login',
  welcome: '/welcome',
  forgotPassword: '/password/forgot',
  resetPassword: '/password/reset/$token',
  invitation: '/invitations/$token',
  setup: '/setup',
  enroll: '/enroll',
  consent: '/oauth/consent',
  audit: '/settings/audit',
  system: '/settings/system',
  account: '/account',
  security: '/account/security',
  sessions: '/account/sessions',
  notifications: '/account/notifications',
  ownKeys: '/account/keys',
  shortcuts: '/account/shortcuts',
  docs: '/docs',
  guide: '/docs/$page',
  guideOfFolder: '/docs/$folder/$page',
} as const;

/** As the router reads paths: in any case, and with or without a slash at the end. */
const PATTERNS = Object.values(WEB_PAGES).map(
  (path) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/$/, '')}/?$`, 'i'),
);

export const isWebPage = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));
