/**
 * Which callers each endpoint accepts, derived from its declaration alone. The endpoint matrix
 * compares the service with it.
 */
import type { Endpoint } from '../../../api/http/endpoint.ts';
import type { AuthorizationTarget } from '../../../src/domain/people/authorization.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import {
  isValidScope,
  mayHold,
  type Permission,
  type PermissionHolder,
} from '../../../src/domain/people/permissions.ts';
import { paramsIn, type Params, type World } from './world.ts';

/** What a caller must get. Undefined when only a declared response is expected. */
export interface Refusal {
  readonly code: ErrorCode;
  /** A 403 from a permission check names the permission, the scope and the reason. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The kinds of credential: those that hold permissions, and the token of a fleet. */
export type CredentialKind = PermissionHolder | 'provisioner';

/** Which credentials open which endpoints. */
export const opens: Readonly<Record<Endpoint['auth'], readonly CredentialKind[]>> = {
  none: [],
  agent: ['agent'],
  provisioner: ['provisioner'],
  product: ['human', 'api_key', 'organization_api_key'],
  member: ['human', 'api_key'],
  session: ['human'],
  personal_key: ['api_key'],
};

export const targetOf = ({ permissionAt }: Endpoint, params: Params): AuthorizationTarget =>
  permissionAt?.(params as never) ?? { kind: 'organization' };

/** Why a holder lacks the permission where the endpoint needs it; undefined when it does not. */
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

/** The token of a fleet holds no permission. */
const mayEverHold = (kind: CredentialKind, permission: Permission): boolean =>
  kind !== 'provisioner' && mayHold(kind, permission);

/** The subject of a permission check. */
interface Check {
  readonly permission: Permission;
  readonly target: AuthorizationTarget;
}

/**
 * Endpoints that check the permission again, at the agent of the request. Their declaration cannot
 * express this.
 */
export const askedAtAgent: Readonly<Record<string, Permission>> = {
  getRequest: 'request.read',
  revealValues: 'request.read',
  getRequestRouting: 'request.read',
  getRequestTimeline: 'request.read',
  getRequestAssessments: 'request.read',
  claimRequest: 'request.claim',
  releaseRequest: 'request.claim',
  decideRequest: 'request.decide',
  listReviewerCandidates: 'request.decide',
  addReviewers: 'request.decide',
};

/** The same, for what belongs to an agent. Those who lack it do not learn that it exists. */
export const hiddenAtAgent: Readonly<Record<string, Permission>> = {
  issueAgentCredential: 'agent.credential.issue',
  revokeAgentCredential: 'agent.credential.revoke',
  revokeAgentProvisioner: 'agent.credential.revoke',
  updateAgentInstance: 'agent.write',
  getToolCatalogEntry: 'agent.read',
};

/** A caller who may not see the agent learns neither its name nor what belongs to it. */
function refusedAtAgent(operationId: string, lack: Lack, { agent }: World): Refusal | undefined {
  const target = { kind: 'agent', slug: agent.slug } as const;
  const hidden = hiddenAtAgent[operationId];
  if (hidden) return lack(hidden, target) === undefined ? undefined : { code: 'not_found' };
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

/** What an authenticated caller gets, by the kind of credential and by what it lacks. */
export const known =
  (holder: CredentialKind, lack: Lack) =>
  (endpoint: Endpoint, home: World): Refusal | undefined => {
    const { auth, permission, operationId } = endpoint;
    if (auth === 'none') return undefined;
    // There a cookie is no credential.
    if (auth === 'personal_key' && holder === 'human') return { code: 'authentication_required' };
    const isKey = holder === 'api_key' || holder === 'organization_api_key';
    if (auth === 'session' && isKey) return { code: 'session_required' };
    const open = opens[auth].includes(holder);
    const refused = (check: Check) => {
      const reason = mayEverHold(holder, check.permission)
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
