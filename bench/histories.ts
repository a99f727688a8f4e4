/** Counts the history events of this run's workflows. */
import type { Connection } from '@temporalio/client';
import type pg from 'pg';
import { workflowIdOf } from '../temporal/ids.ts';

async function eventsOf(
  connection: Connection,
  namespace: string,
  requestId: string,
): Promise<number> {
  const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId: workflowIdOf(requestId) },
  });
  return Number(workflowExecutionInfo?.historyLength);
}

export async function countEvents(
  connection: Connection,
  { namespace, db }: { namespace: string; db: pg.Client },
) {
  const latest = async (clause: string) => {
    const { rows } = await db.query<{ id: string }>(
      `select r.id from approval_requests r join decisions d on d.request_id = r.id where ${clause} order by d.decided_at desc offset 5 limit 1`,
    );
    return rows[0]?.id ?? '';
  };
  return {
    automatic: await eventsOf(connection, namespace, await latest(`d.channel = 'pipeline'`)),
    person: await eventsOf(connection, namespace, await latest(`d.channel = 'api'`)),
  };
}
