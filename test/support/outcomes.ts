/** Invariants of every request in a database, whatever process died meanwhile. */
import type { Db } from '../../src/platform/postgres.ts';

const TERMINAL = ['approved', 'denied', 'expired', 'cancelled'];

/**
 * One line for each broken promise, empty when there is none. `people` are those asked at each
 * level.
 */
export async function brokenPromises(
  db: Db,
  { people }: { readonly people: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string; broken: string }[] }>(
    `with facts as (
       select r.id, r.state, r.routed_at, r.deadline_at, d.decided_at,
              case when r.state = any(cast(:terminal as text[])) then 1 else 0 end as terminal,
              (select count(*) from decisions x where x.request_id = r.id and x.status = r.state) as decisions,
              (select count(*) from audit_events a where a.subject_type = 'approval_request' and a.subject_id = cast(r.id as text)
                 and a.event_type = any(cast(:terminal_events as text[]))) as final_events,
              (select count(*) from audit_events a where a.subject_type = 'approval_request' and a.subject_id = cast(r.id as text)
                 and a.event_type = 'approval_request.created') as created_events,
              (select count(*) from audit_events a where a.subject_type = 'approval_request' and a.subject_id = cast(r.id as text)
                 and a.event_type = 'approval_request.level_notified') as notified_events,
              (select count(*) from notifications n where n.request_id = r.id) as notifications,
              (select count(*) from escalation_steps s where s.request_id = r.id and s.kind = 'notified') as levels
         from approval_requests r left join decisions d on d.request_id = r.id
     )
     select id, broken from facts, lateral (values
       (case when decisions <> terminal then state || ' with ' || decisions || ' decisions' end),
       (case when final_events <> terminal then state || ' with ' || final_events || ' final events' end),
       (case when created_events <> 1 then created_events || ' created events' end),
       (case when notified_events <> notifications then notifications || ' notifications, ' || notified_events || ' events of them' end),
       (case when notifications <> levels * :people then notifications || ' notifications at ' || levels || ' levels' end),
       (case when routed_at is not null and levels = 0 then 'routed, but no one was notified' end),
       (case when routed_at is null and notifications > 0 then 'notified before it was routed' end),
       (case when state = 'expired' and decided_at > deadline_at + interval '30 seconds'
             then 'expired ' || (decided_at - deadline_at) || ' after its deadline' end)
     ) as promise (broken) where broken is not null`,
    {
      terminal: TERMINAL,
      terminal_events: TERMINAL.map((state) => `approval_request.${state}`),
      people: people.length,
    },
  );
  return rows.map(({ id, broken }) => `${id}: ${broken}`);
}
