/** Programs that ask people for a key. They belong to no organization. */
import type { ClientMetadata, OAuthClient } from '../../domain/oauth/clients.ts';
import { UNUSED_CLIENT_SECONDS } from '../../domain/oauth/lifetimes.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRow } from '../../platform/rows.ts';

interface ClientRow {
  readonly id: string;
  readonly metadataUrl: string | null;
  readonly name: string;
  readonly clientUri: string | null;
  readonly redirectUris: readonly string[];
}

const COLUMNS = `id, metadata_url, name, client_uri, redirect_uris`;

const toClient = ({ metadataUrl, clientUri, ...row }: ClientRow): OAuthClient => ({
  ...row,
  metadataUrl: metadataUrl ?? undefined,
  clientUri: clientUri ?? undefined,
});

/** A client by its UUID. */
export async function findOAuthClient(db: Db, id: string): Promise<OAuthClient | undefined> {
  const row = await queryRow<ClientRow>(db, `select ${COLUMNS} from oauth_clients where id = :id`, {
    id,
  });
  return row && toClient(row);
}

export interface KnownDocument {
  readonly client: OAuthClient;
  /** What is kept of the document may still be used. */
  readonly isFresh: boolean;
}

/** A client by the URL of its metadata document, as it was when it was read last. */
export async function findByMetadataUrl(
  db: Db,
  metadataUrl: string,
): Promise<KnownDocument | undefined> {
  const row = await queryRow<ClientRow & { isFresh: boolean }>(
    db,
    `select ${COLUMNS}, fresh_until > clock_timestamp() as is_fresh from oauth_clients where metadata_url = :metadataUrl`,
    { metadataUrl },
  );
  if (!row) return undefined;
  const { isFresh, ...client } = row;
  return { client: toClient(client), isFresh };
}

/** Whether any person has let the client in. */
export async function hasBeenLetIn(db: Db, id: string): Promise<boolean> {
  const { known } = await queryOne<{ known: boolean }>(
    db,
    `select exists (select from oauth_grants where client_id = :id) as known`,
    { id },
  );
  return known;
}

/** A registered client. Returns when it was registered. */
export async function insertOAuthClient(
  db: Db,
  id: string,
  { name, clientUri, redirectUris }: ClientMetadata,
): Promise<Date> {
  const { createdAt } = await queryOne<{ createdAt: Date }>(
    db,
    `insert into oauth_clients (id, name, client_uri, redirect_uris)
     values (:id, :name, :clientUri, cast(:redirectUris as text[])) returning created_at`,
    { id, name, clientUri: clientUri ?? null, redirectUris },
  );
  return createdAt;
}

/** Keeps a metadata document for as long as its host allows. `id`: of a client that is new. */
export async function keepMetadataDocument(
  db: Db,
  id: string,
  document: ClientMetadata & { readonly metadataUrl: string; readonly freshSeconds: number },
): Promise<OAuthClient> {
  const { metadataUrl, name, clientUri, redirectUris, freshSeconds } = document;
  const row = await queryOne<ClientRow>(
    db,
    `insert into oauth_clients (id, metadata_url, name, client_uri, redirect_uris, fresh_until)
     values (:id, :metadataUrl, :name, :clientUri, cast(:redirectUris as text[]),
             clock_timestamp() + make_interval(secs => :freshSeconds))
     on conflict (metadata_url) do update
        set name = excluded.name, client_uri = excluded.client_uri, redirect_uris = excluded.redirect_uris,
            fresh_until = excluded.fresh_until, seen_at = clock_timestamp()
     returning ${COLUMNS}`,
    { id, metadataUrl, name, clientUri: clientUri ?? null, redirectUris, freshSeconds },
  );
  return toClient(row);
}

/** Deletes all but the newest `most` registered clients that no one has approved. One that is being approved stays. */
export async function deleteOldestUnused(db: Db, most: number): Promise<void> {
  // The offset is in a separate statement, or the rows that it skips would be locked, too.
  await db.raw(
    `delete from oauth_clients where id in (
       select id from oauth_clients where id in (
         select c.id from oauth_clients c
          where c.metadata_url is null and not exists (select from oauth_grants g where g.client_id = c.id)
          order by c.seen_at desc offset :most)
       for update skip locked)`,
    { most },
  );
}

/** Deletes up to `limit` clients that no one has approved, hours after they were seen last. */
export async function deleteUnusedClients(db: Db, limit: number): Promise<number> {
  const rows = await db.raw<{ rowCount: number }>(
    `delete from oauth_clients where id in (
       select c.id from oauth_clients c
        where c.seen_at < clock_timestamp() - make_interval(secs => :seconds)
          and not exists (select from oauth_grants g where g.client_id = c.id)
        order by c.seen_at limit :limit for update skip locked)`,
    { seconds: UNUSED_CLIENT_SECONDS, limit },
  );
  return rows.rowCount;
}
