/**
 * Trust anchors: settings whose word the service acts on. The person who controls one can make the service act with
 * rights that they may not hold themselves. So all of them are in this list, and one rule guards every change.
 *
 * | anchor                 | whose rights it speaks with                                                              |
 * | ---------------------- | ---------------------------------------------------------------------------------------- |
 * | `slack_connection`     | all linked people: its signing secret, bot token and workspace say who pressed a button  |
 * | `notification_channel` | no one by itself; it carries what people are asked, and ends links when it is Slack's    |
 * | `webhook_endpoint`     | the active pipelines that ask it: its URL and secret say whose result approves           |
 *
 * Settings of single sign-on belong here too. They come from the environment, so no call changes them.
 */
import { AppError } from '../errors.ts';
import { requireRecentAuthentication, requireRecentUnlessKey } from './recent-authentication.ts';
import {
  authorize,
  forbiddenAt,
  type AuthorizationTarget,
  type ProductPrincipal,
} from './authorization.ts';
import { requireHeld } from './permission-policies.ts';
import type { Grant, Permission } from './permissions.ts';

export type TrustAnchor = 'slack_connection' | 'notification_channel' | 'webhook_endpoint';

const DETAILS: Readonly<Record<TrustAnchor, string>> = {
  slack_connection:
    'Anyone who knows the secrets of the Slack app can press buttons for every linked person. Only an owner, or a member who holds everything the linked people hold, can change them.',
  notification_channel: 'Only an owner can change this channel.',
  webhook_endpoint:
    'An active pipeline acts on the results of this endpoint. Only someone who may activate that pipeline can change its URL or secret.',
};

/** The others are for people in a session only. */
const OPEN_TO_KEYS: readonly TrustAnchor[] = ['webhook_endpoint'];

/** The rights that an anchor can exercise now. */
export interface SpeaksFor {
  readonly grants?: readonly Grant[];
  /** An owner is among the people it speaks for. */
  readonly owner?: boolean;
}

/**
 * The rule: the caller holds every right that the anchor can exercise, and a person is recently authenticated, with a second
 * factor where the organization requires one. Keys, where an operation accepts them, need the rights only. Throws 403
 * `owner_required`, `grant_exceeds_own` (details.grants), `permission_denied` for a key of the organization, and what
 * `requireRecentAuthentication` throws.
 */
export function requireMayChangeAnchor(
  principal: ProductPrincipal,
  anchor: TrustAnchor,
  { grants = [], owner = false }: SpeaksFor = {},
): void {
  const detail = DETAILS[anchor];
  if (principal.kind === 'organization_key') {
    if (!OPEN_TO_KEYS.includes(anchor)) throw new AppError('session_required');
    if (owner) throw new AppError('owner_required', { detail });
    for (const grant of grants) requireGrant(principal, grant);
    return;
  }
  if (owner && !principal.isOwner) throw new AppError('owner_required', { detail });
  requireHeld(principal, grants, detail);
  if (OPEN_TO_KEYS.includes(anchor)) requireRecentUnlessKey(principal);
  else requireRecentAuthentication(principal);
}

function requireGrant(principal: ProductPrincipal, { permission, ...scope }: Grant): void {
  const target = targetOf(scope);
  if (authorize(principal, permission, target).allowed) return;
  const details = forbiddenAt(target, { permission, reason: 'missing_permission' });
  throw new AppError('permission_denied', { details: { ...details } });
}

function targetOf({ scope_kind, scope_id = '' }: Omit<Grant, 'permission'>): AuthorizationTarget {
  if (scope_kind === 'agent') return { kind: 'agent', slug: scope_id };
  return scope_kind === 'team' ? { kind: 'team', id: scope_id } : { kind: 'organization' };
}

/** `permission` at the organization, or for each of these agents. */
export function grantsAt(
  permission: Permission,
  agents: readonly (string | undefined)[],
): readonly Grant[] {
  return [...new Set(agents)].map((slug) =>
    slug === undefined
      ? { permission, scope_kind: 'organization' }
      : { permission, scope_kind: 'agent', scope_id: slug },
  );
}
