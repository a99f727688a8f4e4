/** A request that an equal call can go on with: it is open, or approved and not started. */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Trx } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from './rows.ts';

export interface ResumedCall {
  readonly organizationId: string;
  readonly agentSlug: string;
  /** Only requests of this instance, in the session that `context` names. Absent: of any instance of the agent, in any session. */
  readonly instanceId: string | undefined;
  /** JSON text. */
  readonly context: string | undefined;
  readonly digest: Buffer;
}

/** Creates that look for the same call take turns until the transaction ends, so that two of them ask people once. */
export async function lockCall(trx: Trx, digest: Buffer): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('countersign.call:' || encode(:digest, 'hex'), 0))`,
    { digest },
  );
}

/** The newest. Each branch has an index of its own. */
export async function findResumable(
  trx: Trx,
  { organizationId, agentSlug, instanceId, context, digest }: ResumedCall,
): Promise<ApprovalRequest | undefined> {
  const row = await queryRow<RequestRow>(
    trx,
    `with found as (
       select id from approval_requests
        where organization_id = :organizationId and agent_slug = :agentSlug and state in ('evaluating', 'pending')
          and call_digest = :digest and deadline_at > clock_timestamp()
       union all
       select id from approval_requests
        where state = 'approved' and started_at is null and call_digest = :digest
          and organization_id = :organizationId and agent_slug = :agentSlug)
     select ${REQUEST_COLUMNS}
       from found join ${REQUEST_TABLES} on r.id = found.id
      where (cast(:instanceId as uuid) is null
             or r.agent_instance_id = :instanceId and (r.context ->> 'session') is not distinct from (cast(:context as json) ->> 'session'))
        and (d.id is null or d.expires_at > clock_timestamp())
      order by r.created_at desc, r.id desc limit 1`,
    {
      ...{ organizationId, agentSlug, digest },
      instanceId: instanceId ?? null,
      context: context ?? null,
    },
  );
  return row && toRequest(row);
}
