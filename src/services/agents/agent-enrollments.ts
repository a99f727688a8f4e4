/**
 * A machine without a credential asks to become an instance. It shows a code to a person, who
 * chooses its agent in a browser. The machine then exchanges its own, secret code for a credential.
 */
import { randomBytes } from 'node:crypto';
import {
  hashUserCode,
  isAllowedTarget,
  newUserCode,
  USER_CODE_BYTES,
  type AgentEnrollment,
  type EnrollmentTarget,
} from '../../domain/agents/agent-enrollments.ts';
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import type { Agent } from '../../domain/agents/agents.ts';
import { actorOf } from '../../domain/audit/events.ts';
import { policiesAllow, type MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { requireRecentAuthentication } from '../../domain/people/recent-authentication.ts';
import { TOKEN_PREFIX } from '../../domain/tokens.ts';
import {
  authorizeEnrollment,
  endEnrollment,
  exchangeEnrollment,
  findEnrollmentByUserCode,
  findEnrollmentCode,
  insertEnrollment,
  lockEnrolledInstance,
  lockUnauthorizedEnrollment,
} from '../../data/agents/agent-enrollments.ts';
import { findAgentForShare } from '../../data/agents/agents.ts';
import { findMemberWithPolicies } from '../../data/people/memberships.ts';
import { findByToken, issueToken, parseToken } from '../../platform/crypto/tokens.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { enrollmentLink } from '../links.ts';
import {
  countEnrollmentStart,
  countUserCode,
  forgiveUserCode,
} from '../access/sign-in-attempts.ts';
import { lockAgentToIssue } from './agent-access.ts';
import { addAgent } from './agents.ts';
import { addInstance, issueCredential, type CreatedInstance } from './new-instances.ts';

const LIFETIME_SECONDS = 600;

export interface EnrollmentRequest {
  readonly runtime: string;
  readonly requestedAgentSlug: string | undefined;
  readonly instanceName: string;
  readonly instanceMetadata: JsonText | undefined;
}

export interface StartedEnrollment {
  /** The secret of the machine, shown once. */
  readonly enrollmentCode: string;
  /** For the person, shown once. */
  readonly userCode: string;
  readonly verificationUri: string;
  readonly expiresAt: Date;
}

/**
 * Looks up nothing, so that the response is the same for every slug. 429 `rate_limited` from the
 * eleventh start of a network in a minute.
 */
export async function startEnrollment(
  context: ServiceContext,
  request: EnrollmentRequest,
  clientAddress: string,
): Promise<StartedEnrollment> {
  await countEnrollmentStart(context, clientAddress);
  const { id, token, hash } = issueToken(TOKEN_PREFIX.enrollment);
  for (;;) {
    const userCode = newUserCode(randomBytes(USER_CODE_BYTES));
    const inserted = await insertEnrollment(context.db, {
      id,
      codeHash: hash,
      userCodeHash: hashUserCode(userCode),
      runtime: request.runtime,
      requestedAgentSlug: request.requestedAgentSlug ?? null,
      instanceName: request.instanceName,
      instanceMetadata: request.instanceMetadata?.text ?? '{}',
      lifetimeSeconds: LIFETIME_SECONDS,
    });
    if (!inserted) continue;
    const { expiresAt } = inserted;
    return { enrollmentCode: token, userCode, verificationUri: enrollmentLink(context), expiresAt };
  }
}

/**
 * The enrollment that a person's code names. Throws 404 for a code that is unknown, expired or used,
 * and 429 `rate_limited` after five of those in a minute.
 */
export async function readEnrollment(
  context: ServiceContext,
  { organizationId, userId }: MemberPrincipal,
  userCode: string,
): Promise<AgentEnrollment> {
  await countUserCode(context, userId);
  const hash = hashUserCode(userCode);
  const enrollment = await findEnrollmentByUserCode(context.db, organizationId, hash);
  if (!enrollment) throw new AppError('not_found');
  await forgiveUserCode(context, userId);
  return enrollment;
}

export interface Authorized {
  readonly agent: Agent;
  readonly instance: AgentInstance;
}

/**
 * Makes the instance, without a credential yet. Throws as `readEnrollment` does; 404 also once it is
 * authorized; 409 `enrollment_target_fixed`, `agent_archived`, `instance_name_taken`; what
 * `rereadCaller` and `requireRecentAuthentication` throw; and what `addAgent` throws for a new agent.
 */
export async function authorizeByUserCode(
  context: ServiceContext,
  principal: MemberPrincipal,
  { userCode, target }: { readonly userCode: string; readonly target: EnrollmentTarget },
): Promise<Authorized> {
  const { organizationId } = principal;
  const enrollment = await readEnrollment(context, principal, userCode);
  if (enrollment.status === 'authorized') throw new AppError('not_found');
  if (!isAllowedTarget(enrollment, target)) throw new AppError('enrollment_target_fixed');
  requireRecentAuthentication(principal);
  return await context.db.transaction(async (trx) => {
    const agent = await chooseAgent(trx, context, { principal, target });
    if (!(await lockUnauthorizedEnrollment(trx, enrollment.id))) throw new AppError('not_found');
    const { runtime, instanceName, instanceMetadata } = enrollment;
    const instance = await addInstance(trx, organizationId, {
      instance: { agentSlug: agent.slug, name: instanceName, metadata: instanceMetadata },
      origin: {
        eventType: 'agent_instance.enrolled',
        actor: actorOf(principal),
        data: { runtime },
      },
    });
    const { membershipId } = principal;
    await authorizeEnrollment(trx, { id: enrollment.id, instanceId: instance.id, membershipId });
    return { agent, instance };
  });
}

async function chooseAgent(
  trx: Trx,
  context: ServiceContext,
  { principal, target }: { readonly principal: MemberPrincipal; readonly target: EnrollmentTarget },
): Promise<Agent> {
  const { slug } = target;
  if (target.kind !== 'new_agent') return await lockAgentToIssue(trx, principal, slug);
  const mayIssue = {
    permission: 'agent.credential.issue',
    target: { kind: 'agent', slug },
  } as const;
  return await addAgent(trx, context, { principal, agent: target, needs: [mayIssue] });
}

export interface Enrolled extends CreatedInstance {
  readonly agent: Agent;
}

/**
 * The credential of the machine, once. Throws 401 for what is no enrollment code; 404 for one that
 * is unknown, not authorized, expired or exchanged; 403 `agent_disabled` or `instance_disabled`,
 * which does not use up the code.
 */
export async function exchangeEnrollmentCode(
  context: ServiceContext,
  code: string,
): Promise<Enrolled> {
  const token = parseToken(code);
  if (token?.prefix !== TOKEN_PREFIX.enrollment) {
    const detail = 'This is no enrollment code. It starts with whe_.';
    throw new AppError('authentication_required', { detail });
  }
  const found = await findByToken(token, TOKEN_PREFIX.enrollment, (id) =>
    findEnrollmentCode(context.db, id),
  );
  const { organizationId, agentSlug } = found ?? {};
  if (!organizationId || !agentSlug) throw notReady();
  const enrolled = await context.db.transaction(async (trx) => {
    const agent = await findAgentForShare(trx, organizationId, agentSlug);
    const locked = await lockEnrolledInstance(trx, token.id);
    if (!agent || !locked) throw notReady();
    const { instance, authorizedBy } = locked;
    if (!(await mayStillAuthorize(trx, instance, authorizedBy))) {
      await endEnrollment(trx, token.id);
      return undefined;
    }
    if (agent.status !== 'active') throw new AppError('agent_disabled');
    if (instance.status !== 'active') throw new AppError('instance_disabled');
    const issuedAt = await exchangeEnrollment(trx, token.id);
    const actor = { type: 'agent', id: agentSlug, displayName: agent.name } as const;
    const credential = await issueCredential(trx, context, { instance, actor, issuedAt });
    return { agent, instance, credential };
  });
  if (!enrolled) throw notReady();
  return enrolled;
}

/** An authorization ends with its member, and with their right to give it. */
async function mayStillAuthorize(
  trx: Trx,
  { organizationId, agentSlug }: AgentInstance,
  authorizedBy: string | null,
): Promise<boolean> {
  const member =
    authorizedBy === null
      ? undefined
      : await findMemberWithPolicies(trx, organizationId, authorizedBy);
  if (member?.membershipStatus !== 'active') return false;
  return policiesAllow(member.policies, 'agent.credential.issue', {
    kind: 'agent',
    slug: agentSlug,
  });
}

function notReady(): AppError {
  const detail =
    'The code is not authorized yet, or it was exchanged, or it has expired. Ask again until it expires.';
  return new AppError('not_found', { detail });
}
