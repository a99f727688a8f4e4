/** Presentations of an organization's own. */
import { v7 } from 'uuid';
import type { OwnPresentation, PresentationEntry } from '../../domain/agents/tool-presentations.ts';
import type { HiddenNames } from '../../domain/shown/hidden-names.ts';
import { toHiddenNames, type HiddenNamesRow } from '../organization/organizations.ts';
import { violatedConstraint, type Db, type Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';

interface PresentationRow {
  id: string;
  tool: string;
  server: string | null;
  title: string;
  fields: string;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = 'id, tool, server, title, fields, revision, created_at, updated_at';

function toPresentation({ server, fields, ...row }: PresentationRow): OwnPresentation {
  return {
    ...row,
    ...(server !== null && { server }),
    fields: JSON.parse(fields) as OwnPresentation['fields'],
  };
}

/** SQL: the entry that applies to a request `r`, if there is one: for its server, else for any. */
export const PRESENTATION_OF_REQUEST = `(
  select p.id from tool_presentations p
   where p.organization_id = r.organization_id and p.tool = r.tool and (p.server is null or p.server = r.server)
   order by p.server nulls last limit 1)`;

/** A call, as presentations tell them apart. */
export interface PresentedCall {
  readonly organizationId: string;
  readonly tool: string;
  readonly server?: string | undefined;
}

/** What an organization says about how a call is shown. */
export interface OwnView {
  /** Its entry for the tool, if it has one. */
  readonly presentation: OwnPresentation | undefined;
  readonly hiddenNames: HiddenNames;
}

type ViewRow = HiddenNamesRow & { [Key in keyof PresentationRow]: PresentationRow[Key] | null };

/** Of each call, in their order. */
export async function findOwnViews(db: Db, calls: readonly PresentedCall[]): Promise<OwnView[]> {
  const rows = await queryRows<ViewRow>(
    db,
    `select o.hides_secret_names, o.hidden_names, p.*
       from unnest(cast(:organizations as uuid[]), cast(:tools as text[]), cast(:servers as text[]))
            with ordinality as c (organization_id, tool, server, place)
       join organizations o on o.id = c.organization_id
       left join lateral (
         select ${COLUMNS} from tool_presentations p
          where p.organization_id = c.organization_id and p.tool = c.tool and (p.server is null or p.server = c.server)
          order by p.server nulls last limit 1
       ) p on true
      order by c.place`,
    {
      organizations: calls.map(({ organizationId }) => organizationId),
      tools: calls.map(({ tool }) => tool),
      servers: calls.map(({ server }) => server ?? null),
    },
  );
  return rows.map(({ hidesSecretNames, hiddenNames, ...presentation }) => ({
    presentation:
      presentation.id === null ? undefined : toPresentation(presentation as PresentationRow),
    hiddenNames: toHiddenNames({ hidesSecretNames, hiddenNames }),
  }));
}

export async function findPresentations(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<OwnPresentation[]> {
  const rows = await queryRows<PresentationRow>(
    db,
    `select ${COLUMNS} from tool_presentations where organization_id = :organizationId and id = any(:ids)`,
    { organizationId, ids: [...ids] },
  );
  return rows.map(toPresentation);
}

/** In the order in which they were made. */
export async function listPresentations(
  db: Db,
  organizationId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<OwnPresentation[]> {
  const rows = await queryRows<PresentationRow>(
    db,
    `select ${COLUMNS} from tool_presentations
      where organization_id = :organizationId ${after === undefined ? '' : 'and id > cast(:after as uuid)'}
      order by id limit :limit`,
    { organizationId, limit, ...(after !== undefined && { after }) },
  );
  return rows.map(toPresentation);
}

/** Count them under `lockAccessUnchanged`. */
export async function countPresentations(db: Db, organizationId: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    db,
    'select count(*) as count from tool_presentations where organization_id = :organizationId',
    { organizationId },
  );
  return count;
}

/** Undefined when another entry is for the same calls; the transaction is then aborted. */
export async function insertPresentation(
  trx: Trx,
  organizationId: string,
  entry: PresentationEntry,
): Promise<OwnPresentation | undefined> {
  return await unlessTaken(
    queryOne<PresentationRow>(
      trx,
      `insert into tool_presentations (id, organization_id, tool, server, title, fields, created_at, updated_at)
       select :id, :organizationId, :tool, :server, :title, cast(:fields as json), now, now from clock_timestamp() as now
       returning ${COLUMNS}`,
      { id: v7(), organizationId, ...bindingsOf(entry) },
    ),
  );
}

/** The changed entry of a locked row, or undefined as `insertPresentation`. */
export async function updatePresentation(
  trx: Trx,
  id: string,
  entry: PresentationEntry,
): Promise<OwnPresentation | undefined> {
  return await unlessTaken(
    queryOne<PresentationRow>(
      trx,
      `update tool_presentations
          set tool = :tool, server = :server, title = :title, fields = cast(:fields as json), revision = revision + 1,
              updated_at = clock_timestamp()
        where id = :id returning ${COLUMNS}`,
      { id, ...bindingsOf(entry) },
    ),
  );
}

const bindingsOf = ({ tool, server, title, fields }: PresentationEntry) => ({
  tool,
  server: server ?? null,
  title,
  fields: JSON.stringify(fields),
});

async function unlessTaken(row: Promise<PresentationRow>): Promise<OwnPresentation | undefined> {
  try {
    return toPresentation(await row);
  } catch (error) {
    if (violatedConstraint(error) === 'tool_presentations_tool_key') return undefined;
    throw error;
  }
}

/** The entry, locked. */
export async function lockPresentation(
  trx: Trx,
  organizationId: string,
  id: string,
): Promise<OwnPresentation | undefined> {
  const row = await queryRow<PresentationRow>(
    trx,
    `select ${COLUMNS} from tool_presentations where organization_id = :organizationId and id = :id for update`,
    { organizationId, id },
  );
  return row && toPresentation(row);
}

export async function deletePresentation(trx: Trx, id: string): Promise<void> {
  await trx.raw('delete from tool_presentations where id = :id', { id });
}
