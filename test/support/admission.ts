/** Who is let in where, told from the declaration of an endpoint alone: what the endpoint matrix holds the service against. */
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { AuthorizationTarget } from '../../src/domain/people/authorization.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import {
  isValidScope,
  mayHold,
  type Permission,
  type PermissionHolder,
} from '../../src/domain/people/permissions.ts';
import { paramsIn, type Params, type World } from './world.ts';

/** What a caller must get; only that the answer is declared when there is nothing more to say. */
export interface Refusal {
  readonly code: ErrorCode;
  /** A 403 from a permission check names the permission, the scope and the reason. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Which credentials open which endpoints. */
export const opens: Readonly<Record<Endpoint['auth'], readonly PermissionHolder[]>> = {
  none: [],
  agent: ['agent'],
  product: ['human', 'api_key', 'organization_api_key'],
  member: ['human', 'api_key'],
  session: ['human'],
};

export const targetOf = ({ permissionAt }: Endpoint, params: Params): AuthorizationTarget =>
  permissionAt?.(params as never) ?? { kind: 'organization' };

/** What a holder is missing for the permission where the endpoint needs it; undefined when nothing. */
export type Lack = (permission: Permission, target: AuthorizationTarget) => string | undefined;

export const nothing: Lack = () => undefined;
export const withoutGrants: Lack = () => 'missing_permission';
export const outsideKeyScope: Lack = () => 'key_narrowed';
export const elsewhereOnly =
  (scope: 'agent' | 'team'): Lack =>
  (permission, target) => {
    if (!isValidScope(permission, scope)) return 'missing_permission';
    return target.kind === 'any' ? undefined : 'outside_scope';
  };

/** What a permission check is about. */
interface Check {
  readonly permission: Permission;
  readonly target: AuthorizationTarget;
}

/** What the declaration cannot tell of: these ask for the permission once more, at the agent of the request. */
const askedAtAgent: Readonly<Record<string, Permission>> = {
  getRequest: 'request.read',
  getRequestRouting: 'request.read',
  getRequestTimeline: 'request.read',
  claimRequest: 'request.claim',
  releaseRequest: 'request.claim',
  decideRequest: 'request.decide',
  listReviewerCandidates: 'request.decide',
  addReviewers: 'request.decide',
};

/** A caller who may not see the agent learns neither its name nor that its credentials exist. */
function refusedAtAgent(operationId: string, lack: Lack, { agent }: World): Refusal | undefined {
  const target = { kind: 'agent', slug: agent.slug } as const;
  if (operationId === 'revokeAgentCredential')
    return lack('agent.credential.revoke', target) === undefined
      ? undefined
      : { code: 'not_found' };
  const permission = askedAtAgent[operationId];
  const reason = permission && lack(permission, target);
  return reason === undefined
    ? undefined
    : { code: 'permission_denied', details: { permission, scope_kind: 'agent', reason } };
}

function denied({ permission, target }: Check, reason: string): Refusal {
  const details =
    target.kind === 'agent'
      ? { permission, scope_kind: 'agent', scope_id: target.slug, reason }
      : target.kind === 'team'
        ? { permission, scope_kind: 'team', scope_id: target.id, reason }
        : { permission, scope_kind: 'organization', reason };
  return { code: 'permission_denied', details };
}

/** What a caller gets who is known, by the kind of its credential and by what it lacks. */
export const known =
  (holder: PermissionHolder, lack: Lack) =>
  (endpoint: Endpoint, home: World): Refusal | undefined => {
    const { auth, permission, operationId } = endpoint;
    if (auth === 'none') return undefined;
    const isKey = holder === 'api_key' || holder === 'organization_api_key';
    if (auth === 'session' && isKey) return { code: 'session_required' };
    const open = opens[auth].includes(holder);
    const refused = (check: Check) => {
      const reason = mayHold(holder, check.permission)
        ? lack(check.permission, check.target)
        : 'credential_kind';
      return reason && denied(check, reason);
    };
    const check = permission && {
      permission,
      target: targetOf(endpoint, paramsIn(home, endpoint)),
    };
    if (!open) return check ? denied(check, 'credential_kind') : { code: 'permission_denied' };
    return (check && refused(check)) || refusedAtAgent(operationId, lack, home);
  };
