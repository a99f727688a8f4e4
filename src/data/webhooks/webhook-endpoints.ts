/** Webhook endpoints: the secrets that sign for them, and the pipelines that post to them. */
import type { StoredSigningSecrets } from '../../domain/sealed-secrets.ts';
import type { SealedSecret } from '../../platform/crypto/secret-box.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryRow, queryRows, runPrepared, type PreparedStatement } from '../../platform/rows.ts';
import type { RevisionTables } from '../revisions.ts';
import {
  ENDPOINT_SECRETS,
  PREVIOUS_COLUMNS,
  previousOf,
  type SecretRotation,
} from './signing-secrets.ts';

export const webhookEndpointTables: RevisionTables = {
  documents: 'webhook_endpoints',
  revisions: 'webhook_endpoint_revisions',
  documentId: 'webhook_endpoint_id',
  named: true,
  located: true,
};

/** The secret of a new endpoint. */
export async function insertEndpointSecret(
  trx: Trx,
  endpointId: string,
  { sealed, keyId }: SealedSecret,
): Promise<void> {
  await trx('webhook_endpoint_secrets').insert({
    webhook_endpoint_id: endpointId,
    signing_secret: sealed,
    signing_secret_key_id: keyId,
    secret_rotated_at: trx.raw('clock_timestamp()'),
  });
}

const PREVIOUS = previousOf(ENDPOINT_SECRETS, 's');

/** The endpoint's id and secret, archived or not. */
export async function findEndpointSecret(
  db: Db,
  organizationId: string,
  endpointKey: string,
): Promise<(StoredSigningSecrets & { readonly endpointId: string }) | undefined> {
  return await queryRow(
    db,
    `select d.id as endpoint_id, s.signing_secret as sealed, s.signing_secret_key_id as key_id, ${PREVIOUS_COLUMNS}
       from webhook_endpoints d join webhook_endpoint_secrets s on s.webhook_endpoint_id = d.id ${PREVIOUS}
      where d.organization_id = :organizationId and d.document_key = :endpointKey`,
    { organizationId, endpointKey },
  );
}

/** The active revision of an endpoint, with its secret. */
export interface ActiveEndpoint extends StoredSigningSecrets {
  readonly endpointId: string;
  readonly revision: number;
  /** Exact JSON text. */
  readonly document: string;
}

const FIND_ACTIVE: PreparedStatement = {
  name: 'find-active-webhook-endpoint',
  sql: `
    select d.id as endpoint_id, r.revision, r.document, s.signing_secret as sealed, s.signing_secret_key_id as key_id,
           ${PREVIOUS_COLUMNS}
      from webhook_endpoints d
      join webhook_endpoint_revisions r on r.webhook_endpoint_id = d.id and r.revision = d.active_revision
      join webhook_endpoint_secrets s on s.webhook_endpoint_id = d.id ${PREVIOUS}
     where d.organization_id = cast(:organizationId as uuid) and d.document_key = :endpointKey`,
};

/** Undefined when none is active. */
export async function findActiveEndpoint(
  db: Db,
  organizationId: string,
  endpointKey: string,
): Promise<ActiveEndpoint | undefined> {
  const [endpoint] = await runPrepared<ActiveEndpoint>(db, FIND_ACTIVE, {
    organizationId,
    endpointKey,
  });
  return endpoint;
}

interface EndpointState {
  readonly endpointKey: string;
  readonly active: boolean;
}

const ENDPOINT_STATES = `
  select document_key as endpoint_key, active_revision is not null as active
    from webhook_endpoints
   where organization_id = :organizationId and document_key = any(:endpointKeys)
   order by document_key collate "C"`;

/** The existing endpoints of these keys, ordered by key. */
export async function findEndpointStates(
  db: Db,
  organizationId: string,
  endpointKeys: readonly string[],
): Promise<EndpointState[]> {
  if (endpointKeys.length === 0) return [];
  const parameters = { organizationId, endpointKeys: [...endpointKeys] };
  return await queryRows<EndpointState>(db, ENDPOINT_STATES, parameters);
}

/**
 * The same endpoints, and each stays as it is until the end of the transaction. So no endpoint is
 * archived while a pipeline that posts to it is activated.
 */
export async function lockEndpointStates(
  trx: Trx,
  organizationId: string,
  endpointKeys: readonly string[],
): Promise<EndpointState[]> {
  if (endpointKeys.length === 0) return [];
  const parameters = { organizationId, endpointKeys: [...endpointKeys] };
  return await queryRows<EndpointState>(trx, `${ENDPOINT_STATES} for share`, parameters);
}

/** When the secrets of these endpoints were made, and the ones before them stop, by endpoint id. */
export async function findSecretTimes(
  db: Db,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, SecretRotation>> {
  const rows = await queryRows<SecretRotation & { webhookEndpointId: string }>(
    db,
    `select s.webhook_endpoint_id, s.secret_rotated_at, p.expires_at as previous_secret_expires_at
       from webhook_endpoint_secrets s ${PREVIOUS}
      where s.webhook_endpoint_id = any(cast(:endpointIds as uuid[]))`,
    { endpointIds },
  );
  return new Map(rows.map((row) => [row.webhookEndpointId, row]));
}

/** A block of an active pipeline revision that posts to an endpoint. */
export interface EndpointUse {
  readonly endpointKey: string;
  readonly pipelineId: string;
  /** Key of the pipeline. */
  readonly documentKey: string;
  readonly revision: number;
  readonly blockKey: string;
}

/** By pipeline and block. */
export async function listActiveUsesOfEndpoints(
  db: Db,
  organizationId: string,
  endpointKeys: readonly string[],
): Promise<EndpointUse[]> {
  return await queryRows<EndpointUse>(
    db,
    `select e.endpoint_key, d.id as pipeline_id, d.document_key, r.revision, e.block_key
       from request_approval_pipeline_endpoints e
       join request_approval_pipeline_revisions r on r.id = e.request_approval_pipeline_revision_id
       join request_approval_pipelines d on d.id = r.request_approval_pipeline_id and d.active_revision = r.revision
      where d.organization_id = :organizationId and e.endpoint_key = any(:endpointKeys)
      order by d.document_key collate "C", e.block_key collate "C"`,
    { organizationId, endpointKeys },
  );
}
