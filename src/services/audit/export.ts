/** The audit log as a file. It is read while it is sent, so its length does not matter. */
import type { AuditActor } from '../../domain/audit/events.ts';
import {
  checkpointLine,
  csvLine,
  CSV_HEADER,
  entryLine,
  headerLine,
} from '../../domain/audit/export.ts';
import { canonicalLine, type StoredEvent } from '../../domain/audit/chain.ts';
import { printedFilter, type AuditFilter } from '../../domain/audit/filters.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import {
  countSealed,
  readCheckpoints,
  readEntries,
  readEvents,
  readLastSequence,
  readProofExtent,
} from '../../data/audit/export.ts';
import { actorIdsOf, filterSql, type FilterSql } from '../../data/audit/filters.ts';
import { createYielder } from '../../platform/event-loop.ts';
import { listAuditKeys } from './keys.ts';
import { headerSigner, type SigningContext } from './signing.ts';

/** Events of a statement. */
const BATCH = 500;

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;

export interface ExportRequest {
  readonly organizationId: string;
  readonly actor: AuditActor;
  readonly filter: AuditFilter;
  readonly format: (typeof EXPORT_FORMATS)[number];
  /** With the whole chain, so that it can be verified. Only as `ndjson`. */
  readonly withProof: boolean;
}

/** Some lines. */
type Chunks = AsyncIterable<string>;

/** Records the export. The rest is read when it is wanted. */
export async function exportAuditLog(
  context: SigningContext,
  request: ExportRequest,
): Promise<Chunks> {
  const { organizationId, filter, format, withProof } = request;
  const matching = filterSql(filter, await actorIdsOf(context.db, organizationId, filter.actorId));
  const chunks = withProof
    ? await chainLines(context, request, matching)
    : await eventLines(context, request, matching);
  const event = {
    eventType: 'audit_log.exported' as const,
    actor: request.actor,
    subjectId: organizationId,
    data: { format, proof: withProof, filters: printedFilter(filter) },
  };
  await insertAuditEvents(context.db, organizationId, { events: [event] });
  return chunks;
}

async function chainLines(
  context: SigningContext,
  { organizationId, filter }: ExportRequest,
  matching: FilterSql,
): Promise<Chunks> {
  const { db } = context;
  const signerOf = await headerSigner(context, organizationId);
  const { now, end, lastCheckpoint, checkpoints } = await readProofExtent(db, organizationId);
  const upTo = end.position;
  const header = {
    organizationId,
    exportedAt: now,
    end,
    // A missing event is not counted as one that a filter leaves out.
    events:
      matching.sql === ''
        ? upTo
        : await countSealed(db, organizationId, { upTo, filter: matching }),
    checkpoints,
    filters: printedFilter(filter),
    keys: await listAuditKeys(context),
  };
  const signer = await signerOf(end);
  return (async function* () {
    yield `${headerLine(header, signer)}\n`;
    const yieldIfDue = createYielder();
    for (let after = 0; after < upTo;) {
      const page = { after, upTo, limit: BATCH, filter: matching };
      const entries = await readEntries(db, organizationId, page);
      const last = entries.at(-1)?.position;
      // A gap at the end, which verification finds.
      if (last === undefined) return;
      const signed = new Map(
        (last > lastCheckpoint && after >= lastCheckpoint
          ? []
          : await readCheckpoints(db, organizationId, {
              after,
              upTo: Math.min(last, lastCheckpoint),
            })
        ).map((checkpoint) => [checkpoint.position, checkpoint]),
      );
      let text = '';
      for (const entry of entries) {
        text += `${entryLine(entry, entry.event)}\n`;
        const checkpoint = signed.get(entry.position);
        if (checkpoint) text += `${checkpointLine(checkpoint)}\n`;
        await yieldIfDue();
      }
      yield text;
      after = last;
    }
  })();
}

async function eventLines(
  { db }: SigningContext,
  { organizationId, format }: ExportRequest,
  matching: FilterSql,
): Promise<Chunks> {
  const upTo = await readLastSequence(db, organizationId);
  const line =
    format === 'csv' ? csvLine : (event: StoredEvent): string => `${canonicalLine(event)}\n`;
  return (async function* () {
    if (format === 'csv') yield CSV_HEADER;
    const yieldIfDue = createYielder();
    for (let after = 0; ;) {
      const page = { after, upTo, limit: BATCH, filter: matching };
      const events = await readEvents(db, organizationId, page);
      let text = '';
      for (const event of events) {
        text += line(event);
        await yieldIfDue();
      }
      if (text !== '') yield text;
      const last = events.at(-1);
      if (!last || events.length < BATCH) return;
      after = last.sequence;
    }
  })();
}
