/** Requests that an equal call can continue: they are open, or approved and not started. */
import type { Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

export interface ResumedCall {
  readonly organizationId: string;
  readonly agentSlug: string;
  /** Only requests of this instance. Absent: of any instance of the agent. */
  readonly instanceId: string | undefined;
  readonly digest: Buffer;
}

export interface Resumable {
  readonly id: string;
  /** JSON text, as it was sent. */
  readonly context: string | null;
}

/** More equal calls than these are not looked at. */
const MOST = 20;

/** Creates that look for the same call take turns until the transaction ends, so that two of them ask people once. */
export async function lockCall(trx: Trx, digest: Buffer): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(hashtextextended('countersign.call:' || encode(:digest, 'hex'), 0))`,
    { digest },
  );
}

/** Newest first. Each branch has a separate index. */
export async function findResumable(
  trx: Trx,
  { organizationId, agentSlug, instanceId, digest }: ResumedCall,
): Promise<Resumable[]> {
  return await queryRows<Resumable>(
    trx,
    `with found as (
       select id from approval_requests
        where organization_id = :organizationId and agent_slug = :agentSlug and state in ('evaluating', 'pending')
          and call_digest = :digest and deadline_at > clock_timestamp()
       union all
       select id from approval_requests
        where state = 'approved' and started_at is null and call_digest = :digest
          and organization_id = :organizationId and agent_slug = :agentSlug)
     select r.id, cast(r.context as text) as context
       from found join approval_requests r on r.id = found.id left join decisions d on d.request_id = r.id
      where (cast(:instanceId as uuid) is null or r.agent_instance_id = :instanceId)
        and (d.id is null or d.expires_at > clock_timestamp())
      order by r.created_at desc, r.id desc limit :most`,
    { organizationId, agentSlug, digest, instanceId: instanceId ?? null, most: MOST },
  );
}
