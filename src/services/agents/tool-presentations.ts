/** How the calls of tools are shown: presentations of the organization before the built-in ones. */
import {
  builtInPresentations,
  findBuiltIn,
} from '../../domain/agents/built-in-presentations/catalog.ts';
import {
  fieldPointers,
  MOST_PRESENTATIONS,
  presentFields,
  type OwnPresentation,
  type Presentation,
  type PresentationEntry,
} from '../../domain/agents/tool-presentations.ts';
import { actorOf } from '../../domain/audit/events.ts';
import { AppError } from '../../domain/errors.ts';
import type { MemberPrincipal, ProductPrincipal } from '../../domain/people/authorization.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { DEFAULT_HIDDEN_NAMES, type HiddenNames } from '../../domain/shown/hidden-names.ts';
import { insertAuditEvents } from '../../data/audit/events.ts';
import { lockAccessUnchanged } from '../../data/organization/organizations.ts';
import {
  countPresentations,
  deletePresentation,
  findOwnViews,
  findPresentations,
  insertPresentation,
  listPresentations,
  lockPresentation,
  updatePresentation,
} from '../../data/agents/tool-presentations.ts';
import { pointersInto } from '../../platform/json/json-pointers.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { lockAccessSharedAndRereadMember } from '../access/current-callers.ts';

/** What the request is shown with; undefined when nothing is known about its tool. Reads its arguments once. */
export function presentationOf(
  { tool, server, arguments: given }: ApprovalRequest,
  own: OwnPresentation | undefined,
): Presentation | undefined {
  const entry = own ?? findBuiltIn(tool, server);
  if (!entry) return undefined;
  const found = pointersInto(given.text, fieldPointers(entry.fields));
  return {
    source: own ? 'organization' : 'built_in',
    ...(own && { id: own.id }),
    title: entry.title,
    fields: presentFields(entry.fields, (pointer) => found.has(pointer)),
  };
}

/** How the request is shown now. */
export async function viewOf(
  { db }: Pick<ServiceContext, 'db'>,
  request: ApprovalRequest,
): Promise<RequestView> {
  const [own] = await findOwnViews(db, [request]);
  return {
    presentation: presentationOf(request, own?.presentation),
    hiddenNames: own?.hiddenNames ?? DEFAULT_HIDDEN_NAMES,
  };
}

/** How a request is shown. */
export interface RequestView {
  readonly presentation: Presentation | undefined;
  readonly hiddenNames: HiddenNames;
}

/** The presentation alone. `ownId`: the organization's own entry, if that was looked up already, and null if there is none. */
export async function presentationWith(
  { db }: ServiceContext,
  request: ApprovalRequest,
  ownId?: string | null,
): Promise<Presentation | undefined> {
  const { organizationId } = request;
  if (ownId === null) return presentationOf(request, undefined);
  if (ownId === undefined) return (await viewOf({ db }, request)).presentation;
  const [own] = await findPresentations(db, organizationId, [ownId]);
  return presentationOf(request, own);
}

const WRITE = { permission: 'organization.settings.write' } as const;

/** Throws 409 `presentation_exists` and 429 `quota_exceeded`. */
export async function createPresentation(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  entry: PresentationEntry,
): Promise<OwnPresentation> {
  const { organizationId } = principal;
  return await db.transaction(async (trx) => {
    await lockAccessUnchanged(trx, organizationId);
    await lockAccessSharedAndRereadMember(trx, principal, WRITE);
    const used = await countPresentations(trx, organizationId);
    const created = await insertPresentation(trx, organizationId, entry);
    if (!created) throw new AppError('presentation_exists');
    const limit = MOST_PRESENTATIONS;
    if (used >= limit) {
      const dimension = 'tool_presentations';
      throw new AppError('quota_exceeded', { details: { dimension, limit, used } });
    }
    await audit(trx, principal, { verb: 'created', entry: created });
    return created;
  });
}

interface Replacement {
  readonly id: string;
  readonly entry: PresentationEntry;
  /** The revision that the caller read. */
  readonly expected: number | undefined;
}

/** Replaces an entry. Throws 404, 409 `presentation_exists` and 412 `revision_conflict`. */
export async function replacePresentation(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  { id, entry, expected }: Replacement,
): Promise<OwnPresentation> {
  return await db.transaction(async (trx) => {
    await lockAccessSharedAndRereadMember(trx, principal, WRITE);
    const before = await lockPresentation(trx, principal.organizationId, id);
    if (!before) throw new AppError('not_found');
    if (expected !== undefined && expected !== before.revision)
      throw new AppError('revision_conflict', { details: { active_revision: before.revision } });
    const changed = await updatePresentation(trx, id, entry);
    if (!changed) throw new AppError('presentation_exists');
    await audit(trx, principal, { verb: 'updated', entry: changed });
    return changed;
  });
}

/** Throws 404. */
export async function removePresentation(
  { db }: ServiceContext,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    await lockAccessSharedAndRereadMember(trx, principal, WRITE);
    const entry = await lockPresentation(trx, principal.organizationId, id);
    if (!entry) throw new AppError('not_found');
    await deletePresentation(trx, id);
    await audit(trx, principal, { verb: 'deleted', entry });
  });
}

async function audit(
  trx: Trx,
  principal: MemberPrincipal,
  { verb, entry }: { verb: 'created' | 'updated' | 'deleted'; entry: OwnPresentation },
): Promise<void> {
  const { id, tool, server, title } = entry;
  const event = {
    eventType: `tool_presentation.${verb}` as const,
    actor: actorOf(principal),
    subjectId: id,
    data: { tool, ...(server !== undefined && { server }), title },
  };
  await insertAuditEvents(trx, principal.organizationId, { events: [event] });
}

/** Throws 404. */
export async function getPresentation(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  id: string,
): Promise<OwnPresentation> {
  const [entry] = await findPresentations(db, organizationId, [id]);
  if (!entry) throw new AppError('not_found');
  return entry;
}

/** An entry of either source. */
export type ListedPresentation = PresentationEntry & Partial<OwnPresentation>;

/** Where a page ended: the id of an own entry, or how many built-in ones were listed. */
export type PresentationPosition =
  { readonly id: string; readonly builtIn?: undefined } | { readonly builtIn: number };

export interface PresentationPage {
  readonly presentations: readonly ListedPresentation[];
  readonly next: PresentationPosition | undefined;
}

/** The organization's own entries, then the built-in ones. */
export async function listAllPresentations(
  { db }: ServiceContext,
  { organizationId }: ProductPrincipal,
  page: {
    readonly source: Presentation['source'] | undefined;
    readonly after: PresentationPosition | undefined;
    readonly limit: number;
  },
): Promise<PresentationPage> {
  const { source, after, limit } = page;
  const begun = after?.builtIn;
  const own =
    begun !== undefined || source === 'built_in'
      ? []
      : await listPresentations(db, organizationId, { after: after?.id, limit: limit + 1 });
  const last = own[limit - 1];
  if (own.length > limit && last)
    return { presentations: own.slice(0, limit), next: { id: last.id } };
  const end = (begun ?? 0) + limit - own.length;
  const shipped = source === 'organization' ? [] : builtInPresentations.slice(begun ?? 0, end);
  const isOver = source === 'organization' || end >= builtInPresentations.length;
  return { presentations: [...own, ...shipped], next: isOver ? undefined : { builtIn: end } };
}
