/** Takes back what was granted for one agent, where the agent itself is removed. */
import { takeAgentFromInvitations, takeAgentFromPolicies } from '../../data/people/agent-grants.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { AuditActor, NewAuditEvent } from '../../domain/audit/events.ts';
import type { Trx } from '../../platform/postgres.ts';
import { auditedHolder, auditedTerms } from './permission-policies.ts';

/** Changes policies with their audit events, and invitations. Call it with access locked. */
export async function takeGrantsForAgent(
  trx: Trx,
  organizationId: string,
  { slug, actor }: { readonly slug: string; readonly actor: AuditActor },
): Promise<void> {
  const taken = await takeAgentFromPolicies(trx, organizationId, slug);
  const events = taken.map((policy): NewAuditEvent => {
    const { id, holder, left, revision } = policy;
    const of = { actor, subjectId: id };
    const before = auditedTerms(policy);
    const held = auditedHolder(holder);
    if (left.length === 0)
      return {
        eventType: 'permission_policy.deleted',
        ...of,
        data: { ...held, ...before, revision },
      };
    const after = { ...before, resource_ids: [...left], revision: revision + 1 };
    return {
      eventType: 'permission_policy.updated',
      ...of,
      data: { ...held, ...after, previous: before },
    };
  });
  await insertAuditEvents(trx, organizationId, { events });
  await takeAgentFromInvitations(trx, organizationId, slug);
}
