/** What language models read and concluded about requests, kept for 30 days. */
import { v7 } from 'uuid';
import type { Assessment } from '../../domain/pipelines/judge/assessments.ts';
import { JsonText } from '../../platform/json/exact-json.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

export type NewAssessment = Omit<Assessment, 'createdAt'> & { readonly requestId: string };

export async function insertAssessment(db: Db, assessment: NewAssessment): Promise<void> {
  const { confidence, cost, ...rest } = assessment;
  await db.raw(
    `insert into request_assessments (id, request_id, scope, block_id, model, outcome, confidence, reason, error_code, input, output, cost, created_at)
     values (:id, :requestId, :scope, :blockId, :model, :outcome, :confidence, :reason, :errorCode, :input, :output, :cost, clock_timestamp())`,
    { id: v7(), ...rest, confidence: confidence?.text ?? null, cost: cost?.text ?? null },
  );
}

type Row = Omit<Assessment, 'confidence' | 'cost'> & {
  readonly confidence: string | null;
  readonly cost: string | null;
};

/** Oldest first. */
export async function listAssessments(db: Db, requestId: string): Promise<Assessment[]> {
  const rows = await queryRows<Row>(
    db,
    `select scope, block_id, model, outcome, confidence, reason, error_code, input, output, cost, created_at
       from request_assessments where request_id = :requestId order by created_at, id`,
    { requestId },
  );
  return rows.map(({ confidence, cost, ...rest }) => ({
    ...rest,
    confidence: confidence === null ? null : new JsonText(confidence),
    cost: cost === null ? null : new JsonText(cost),
  }));
}

/** Purges some assessments of over 30 days ago. Returns their number. */
export async function deleteOldAssessments(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `with old as (
       select id from request_assessments where created_at < statement_timestamp() - interval '30 days'
        order by created_at limit :limit for update skip locked
     )
     delete from request_assessments where id = any(array(select id from old)) returning 1`,
    { limit },
  );
  return rows.length;
}
