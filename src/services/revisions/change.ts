/**
 * The parts of every change to a revisioned document: lock the document, write the audit event, add
 * warnings to the response.
 */
import type { AuditEventType } from '../../domain/audit/event-sentences.ts';
import { actorOf } from '../../domain/audit/events.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { ProductPrincipal } from '../../domain/people/authorization.ts';
import type { Revision, RevisionedDocument } from '../../domain/revisions.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import * as data from '../../data/revisions.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { rereadCaller } from '../access/current-callers.ts';
import type { DocumentRef, RevisionedKind } from './kind.ts';

/** The response to a change. `activeRevision` is 0 while none is active. */
export interface ChangedRevision<View> {
  readonly revision: View;
  readonly activeRevision: number;
}

export async function withWarnings<N, V>(
  db: Db,
  organizationId: string,
  {
    kind,
    revision,
    names,
  }: { kind: RevisionedKind<N, V>; revision: Revision; names?: N | undefined },
) {
  const view = kind.view(revision);
  return (await kind.addWarnings?.(db, organizationId, { view, names })) ?? view;
}

/** A locked document, and the caller as read after that. */
export interface LockedByCaller {
  readonly document: RevisionedDocument;
  readonly caller: ProductPrincipal;
}

/**
 * Locks the document, then rechecks the caller. Throws what `rereadCaller` throws, then `refusal`,
 * which `lockFirst` returned, or 404.
 */
export async function lockAndRereadCaller<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    needs,
    refusal,
  }: DocumentRef<N, V> & {
    readonly needs: 'write' | 'activate';
    readonly refusal?: ErrorCode | undefined;
  },
): Promise<LockedByCaller> {
  const document = await data.lockDocument(trx, principal.organizationId, {
    tables: kind.tables,
    documentKey,
  });
  const permission = kind.permissions[needs];
  const target = kind.targetOf(documentKey);
  const caller = await rereadCaller(trx, principal, { permission, target });
  if (refusal) throw new AppError(refusal);
  if (!document) throw new AppError('not_found');
  return { document, caller };
}

/** The active revision, 0 when none is. Throws 412 unless it is the expected one. */
export function requireActive(
  { activeRevision: active = 0 }: RevisionedDocument,
  expected: number,
): number {
  if (active !== expected)
    throw new AppError('revision_conflict', { details: { active_revision: active } });
  return active;
}

export async function audit<N, V>(
  trx: Trx,
  principal: ProductPrincipal,
  {
    kind,
    documentKey,
    eventType,
    more,
  }: DocumentRef<N, V> & { eventType: AuditEventType; more?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const event = {
    eventType,
    actor: actorOf(principal),
    subjectId: documentKey,
    data: { ...kind.auditData(documentKey), ...more },
  };
  await insertAuditEvents(trx, principal.organizationId, { events: [event] });
}
