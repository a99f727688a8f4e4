/** What tests of the audit chain share: events, the chain as it is stored, and what it must be. */
import { createHash, randomBytes } from 'node:crypto';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import type { AuditEventType } from '../../../src/domain/audit/event-sentences.ts';
import { SYSTEM } from '../../../src/domain/audit/events.ts';
import type { Db } from '../../../src/platform/postgres.ts';

export const AUDIT_KEY = { COUNTERSIGN_AUDIT_KEY: randomBytes(32).toString('base64') };

interface RecordOptions {
  readonly count?: number;
  readonly verb?: string;
  readonly occurredAt?: Date;
}

export async function record(
  db: Db,
  organizationId: string,
  { count = 1, verb = 'noted', occurredAt }: RecordOptions = {},
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    // Sealing and verifying look at no type.
    eventType: `team.${verb}` as AuditEventType,
    actor: SYSTEM,
    subjectId: `t-${index}`,
    data: { note: 'Grüße\nan alle' },
  }));
  await insertAuditEvents(db, organizationId, { events, ...(occurredAt && { occurredAt }) });
}

interface Row {
  readonly position: number;
  readonly event_sequence: number;
  readonly leaf: string;
  readonly hash: string;
}

export async function chainOf(db: Db, organizationId: string): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select position, event_sequence, encode(leaf, 'hex') as leaf, encode(hash, 'hex') as hash
       from audit_chain where organization_id = ? order by position`,
    [organizationId],
  );
  return rows;
}

export async function sequencesOf(db: Db, organizationId: string): Promise<number[]> {
  return await db('audit_events')
    .where({ organization_id: organizationId })
    .orderBy('sequence')
    .pluck('sequence');
}

/** The hashes that these leaves must have. */
export async function hashesOfLeaves(db: Db, organizationId: string): Promise<string[]> {
  const rows = await chainOf(db, organizationId);
  let previous = Buffer.alloc(32);
  return rows.map(({ leaf }, index) => {
    const position = Buffer.alloc(8);
    position.writeUInt32BE(index + 1, 4);
    previous = createHash('sha256')
      .update('countersign-audit-v1\0')
      .update(Buffer.from(organizationId.replaceAll('-', ''), 'hex'))
      .update(previous)
      .update(position)
      .update(Buffer.from(leaf, 'hex'))
      .digest();
    return previous.toString('hex');
  });
}

/** As time passes for the horizon, which waits some seconds. */
export async function age(db: Db): Promise<void> {
  await db.raw(`update audit_horizon set pending_at = pending_at - interval '1 minute'`);
}

export async function horizonOf(db: Db): Promise<{ sealed_to: number; settled_to: number }> {
  return (await db('audit_horizon').first('sealed_to', 'settled_to')) as {
    sealed_to: number;
    settled_to: number;
  };
}

/** For the floor of a round: so many minutes from now. */
export const minutesAhead = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
