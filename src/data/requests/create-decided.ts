/** Writes a request together with the verdict of its rules: one statement, and no later step. */
import { v7 } from 'uuid';
import {
  withoutNulls,
  type ApprovalRequest,
  type RuleRevisions,
} from '../../domain/requests/approval-requests.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import {
  asRequest,
  CREATED_DATA,
  insertBindings,
  insertFrom,
  READ_TO_INSERT,
  type Created,
  type NewApprovalRequest,
} from './create.ts';
import { stringifyExact } from '../../platform/json/exact-json.ts';
import { EXECUTION_WINDOW_MS } from '../../domain/requests/approval-requests.ts';
import { withDecision, type NewDecision } from '../../domain/requests/engine/effects.ts';
import { DECISION_COLUMNS } from './engine/decision.ts';

const INSERT_DECIDED: PreparedStatement = {
  name: 'insert-decided-approval-request',
  sql: `
  with ${READ_TO_INSERT},
  unchanged as materialized (
    select from pinned
     where organization_revision is not distinct from cast(:organization_revision as uuid)
       and agent_revision is not distinct from cast(:agent_revision as uuid)
  ),
  created as (${insertFrom({ state: ':status', wakeAt: 'null', source: 'clock, pinned, unchanged' })}
  ),
  decision as (
    insert into decisions (${DECISION_COLUMNS})
    select cast(:decision_id as uuid), id, organization_id, null, :status, :note, :channel, null, null, cast(:authentication as json),
           :decision_key, null, created_at, case when :status = 'approved' then created_at + :window_ms * interval '1 millisecond' end
      from created
  ),
  audited as (
    insert into audit_events (id, organization_id, event_type, actor_type, actor_id, actor_display_name, subject_type, subject_id, data, occurred_at)
    select e.id, created.organization_id, 'approval_request.' || e.verb, e.actor_type, e.actor_id, e.actor_name,
           'approval_request', cast(created.id as text), e.data, created.created_at
      from created
     cross join (values
       (1, cast(:event_id as uuid), 'created', 'agent', cast(:agent_slug as text), cast(:agent_name as text), ${CREATED_DATA}),
       (2, cast(:decision_event_id as uuid), cast(:status as text), 'system', null, null, cast(:audit_data as json))) as e (place, id, verb, actor_type, actor_id, actor_name, data)
     order by e.place
  )
  select c.created_at, c.deadline_at, pinned.organization_revision as organization_pipeline_revision_id,
         pinned.agent_revision as agent_pipeline_revision_id, exists (select from unchanged) as is_current
    from pinned left join created c on true`,
};

export interface DecidedAtCreation {
  /** Absent when nothing was written. */
  readonly request?: ApprovalRequest;
  /** Of the active rules. */
  readonly active: RuleRevisions;
  /** False when the verdict is of other revisions than the active ones: then nothing was written. */
  readonly isCurrent: boolean;
}

/**
 * Writes the request only if the verdict is that of the active rules. With `isCurrent` and without
 * a request, the reasons of `insertRequest` apply.
 */
export async function insertDecidedRequest(
  db: Db,
  principal: AgentPrincipal,
  {
    input,
    decision,
    rules,
  }: {
    readonly input: NewApprovalRequest;
    readonly decision: NewDecision;
    /** The revisions that gave the verdict. */
    readonly rules: RuleRevisions;
  },
): Promise<DecidedAtCreation> {
  const created = insertBindings(principal, input);
  const [row] = await runPrepared<
    Omit<Created, 'createdAt' | 'deadlineAt'> & {
      createdAt: Date | null;
      deadlineAt: Date | null;
      isCurrent: boolean;
    }
  >(db, INSERT_DECIDED, {
    ...created,
    status: decision.status,
    note: decision.note ?? null,
    channel: decision.channel,
    authentication: stringifyExact(decision.authentication),
    audit_data: stringifyExact({ channel: decision.channel, ...decision.auditData }),
    window_ms: EXECUTION_WINDOW_MS,
    organization_revision: rules.organizationPipelineRevisionId ?? null,
    agent_revision: rules.agentPipelineRevisionId ?? null,
    decision_key: decision.idempotencyKey,
    decision_id: decision.id,
    decision_event_id: v7(),
  });
  if (!row) throw new Error('a statement that always has a row had none');
  const { createdAt, deadlineAt, isCurrent, ...active } = row;
  if (!createdAt || !deadlineAt) return { active: withoutNulls<RuleRevisions>(active), isCurrent };
  const request = asRequest(principal, input, { createdAt, deadlineAt, ...active });
  return {
    request: withDecision(request, decision, createdAt),
    active: request,
    isCurrent,
  };
}
