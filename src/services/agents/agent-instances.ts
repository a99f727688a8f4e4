/** Renames, disables and enables agent instances. */
import type { AgentInstance } from '../../domain/agents/agent-instances.ts';
import { actorOf, type NewAuditEvent } from '../../domain/audit/events.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import { lockAgentInstance, updateAgentInstance } from '../../data/agents/agent-instances.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import type { ServiceContext } from '../context.ts';
import { rereadForPart } from './agent-access.ts';

export interface InstanceChange {
  readonly id: string;
  readonly name?: string | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
}

/**
 * What stays the same is not recorded. Once a call has returned a disabled instance, it gets no further
 * request. Throws what `rereadCaller` throws, 404, also where the caller may not change its agent,
 * 409 `agent_archived` or `instance_name_taken`.
 */
export async function changeAgentInstance(
  context: ServiceContext,
  principal: ProductPrincipal,
  { id, ...change }: InstanceChange,
): Promise<AgentInstance> {
  const { organizationId } = principal;
  return await context.db.transaction(async (trx) => {
    const locked = await lockAgentInstance(trx, organizationId, id);
    const before = await rereadForPart(trx, principal, {
      part: locked?.instance,
      permission: 'agent.write',
    });
    if (locked?.agentStatus === 'archived') throw new AppError('agent_archived');
    const { name = before.name, status = before.status } = change;
    const event = (
      verb: 'renamed' | 'enabled' | 'disabled',
      data: Readonly<Record<string, unknown>>,
    ): NewAuditEvent => ({
      eventType: `agent_instance.${verb}`,
      actor: actorOf(principal),
      subjectId: id,
      data: { agent_slug: before.agentSlug, agent_instance_name: name, ...data },
    });
    const events = [
      ...(name === before.name ? [] : [event('renamed', { from: before.name, to: name })]),
      ...(status === before.status
        ? []
        : [event(status === 'active' ? 'enabled' : 'disabled', {})]),
    ];
    if (events.length === 0) return before;
    const after = await updateAgentInstance(trx, { ...before, name, status });
    if (!after) throw new AppError('instance_name_taken');
    await insertAuditEvents(trx, organizationId, { events });
    return after;
  });
}
