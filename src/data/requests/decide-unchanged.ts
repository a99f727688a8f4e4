/**
 * A person's decision in one statement of its own, written only if nothing has changed that the
 * decision depends on. `docs/adr/0011-decisions-in-one-statement.md` argues why that is safe.
 */
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { credentialIdOf, type MemberPrincipal } from '../../domain/people/authorization.ts';
import type { Db } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';
import { PRESENTATION_OF_REQUEST } from '../agents/tool-presentations.ts';
import { LIVE_API_KEY } from '../people/api-keys.ts';
import { LIVE_SESSION } from '../sign-in/sessions.ts';
import { DECIDE, KEYED, runDecision, type NewDecision } from './decide.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from './rows.ts';

/** A request with all that a decision on it depends on, besides the caller. */
export interface RequestToDecide {
  readonly request: ApprovalRequest;
  /** Identifies the version of the row. Every change of the request, its claim or its reviewers writes the row. */
  readonly version: string;
  /** Memberships of added reviewers. */
  readonly added: readonly string[];
  /** The organization's own presentation of the tool. It is only shown; the decision does not depend on it. */
  readonly presentationId: string | null;
}

const READ_TO_DECIDE: PreparedStatement = {
  name: 'read-request-to-decide',
  sql: `
    select ${REQUEST_COLUMNS}, cast(r.xmin as text) as version,
           array(select membership_id from added_reviewers a where a.request_id = r.id) as added,
           ${PRESENTATION_OF_REQUEST} as presentation_id
      from ${REQUEST_TABLES}
     where r.id = :id`,
};

export async function readRequestToDecide(
  db: Db,
  id: string,
): Promise<RequestToDecide | undefined> {
  const [row] = await runPrepared<RequestRow & Omit<RequestToDecide, 'request'>>(
    db,
    READ_TO_DECIDE,
    { id },
  );
  if (!row) return undefined;
  const { version, added, presentationId } = row;
  return { request: toRequest(row), version, added, presentationId };
}

/**
 * Locks as `lockRequestAndRereadMember` does, but never waits: a row that is locked, or has another
 * version by now, is not found, and nothing is written. Other tables are read as of the start of the
 * statement, so everything that can change them must change a version compared here. The exception
 * is the credential, which no lock protects: it is looked at without any wait before the write.
 */
const decideStatement = (credential: string): string => `
  with access as materialized (
    select o.id from organizations o
     where o.id = cast(:organization_id as uuid) and o.access_version = :access_version
       for share skip locked
  ),
  locked as materialized (
    select r.id, r.last_at, r.deadline_at
      from access join approval_requests r on r.organization_id = access.id
     where r.id = cast(:id as uuid) and r.xmin = cast(:version as xid)
       for no key update of r skip locked
  ),
  ticked as materialized (
    select id, deadline_at, greatest(date_trunc('milliseconds', clock_timestamp()), last_at) as now from locked
  ),
  clock as materialized (
    select id, now, ${KEYED} from ticked
     where now < deadline_at and now < coalesce(cast(:claimed_until as timestamptz), 'infinity') and exists (${credential})
  ),
  ${DECIDE}`;

const STATEMENTS: Readonly<Record<MemberPrincipal['via']['kind'], PreparedStatement>> = {
  session: {
    name: 'decide-unchanged-by-session',
    sql: decideStatement(`
      select from sessions s
       where s.id = cast(:credential as uuid) and ${LIVE_SESSION}
         and s.method = :auth_method and s.assurance = :auth_assurance and s.authenticated_at = :authenticated_at`),
  },
  api_key: {
    name: 'decide-unchanged-by-api-key',
    sql: decideStatement(`
      select from api_keys k where k.id = cast(:credential as uuid) and ${LIVE_API_KEY}`),
  },
  slack: {
    name: 'decide-unchanged-by-slack-link',
    sql: decideStatement(`
      select from slack_links l
       where l.membership_id = cast(:membership as uuid) and l.slack_user_id = :credential`),
  },
};

/**
 * The decided request. Undefined, and nothing is written, when anything that the decision depends
 * on has changed since it was read, or is being changed. The request must be pending.
 */
export async function recordIfUnchanged(
  db: Db,
  { request, version }: RequestToDecide,
  { decision, by }: { readonly decision: NewDecision; readonly by: MemberPrincipal },
): Promise<ApprovalRequest | undefined> {
  return await runDecision(db, STATEMENTS[by.via.kind], {
    request,
    decision,
    values: {
      id: request.id,
      version,
      claimed_until: request.claim?.expiresAt ?? null,
      organization_id: by.organizationId,
      access_version: by.accessVersion,
      credential: credentialIdOf(by),
      ...(by.via.kind === 'session' && {
        auth_method: by.auth.method,
        auth_assurance: by.auth.assurance,
        authenticated_at: by.auth.authenticated_at,
      }),
    },
  });
}
