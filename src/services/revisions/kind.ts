/** What each kind of revisioned document says about itself. */
import type { DocumentSubject } from '../../domain/audit/sentences/documents.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { AuthorizationTarget, ProductPrincipal } from '../../domain/people/authorization.ts';
import type { Permission } from '../../domain/people/permissions.ts';
import type { Revision } from '../../domain/revisions.ts';
import type { RevisionTables } from '../../data/revisions.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import type { DocumentReader } from '../read-documents.ts';

/**
 * What differs between kinds of documents. `Names` is what its documents name, `View` what callers
 * see.
 */
export interface RevisionedKind<Names, View> {
  readonly tables: RevisionTables;
  readonly permissions: {
    readonly read: Permission;
    readonly write: Permission;
    /** Also needed to deactivate and to archive. */
    readonly activate: Permission;
  };
  /** Where a caller needs them. */
  readonly targetOf: (documentKey: string) => AuthorizationTarget;
  /** Subject of its audit events, which name the document by its key. */
  readonly subject: DocumentSubject;
  /**
   * Why nothing can be added to or activated in an archived document. Absent: activating one of its
   * revisions brings the document back.
   */
  readonly archivedCode?: ErrorCode;
  /** What a body may say about its document, as responses do. Anything else contradicts the call. */
  readonly identity: (documentKey: string) => Readonly<Record<string, string | number | undefined>>;
  /** Members of audit events about a document, besides its key. */
  readonly auditData: (documentKey: string) => Readonly<Record<string, unknown>>;
  readonly reader: DocumentReader<Names>;
  /** In the hosted edition, when documents may say more there. */
  readonly hostedReader?: DocumentReader<Names>;
  /**
   * Throws for what only the deployment or other systems can tell. It runs outside of transactions.
   */
  readonly checkOutside?: (runtime: Runtime, names: Names) => Promise<void> | void;
  /** Throws 400 for names in the document that do not exist. */
  readonly checkReferences?: (
    db: Db,
    organizationId: string,
    named: { documentKey: string; names: Names },
  ) => Promise<void>;
  /** Carries over into a document that was read what the latest revision fixed. */
  readonly carryOver?: (text: string, latest: Revision) => string;
  /** Records the targets and documents that a new revision names. */
  readonly recordReferences?: (
    trx: Trx,
    named: { revisionId: string; names: Names },
  ) => Promise<void>;
  /**
   * Throws 409 for anything that must be active, or must still exist, before this revision can be
   * active.
   */
  readonly checkActivation?: (
    trx: Trx,
    organizationId: string,
    revision: Revision,
  ) => Promise<void>;
  /** Throws 403 unless the caller may change which revision is active. Their permission was checked. */
  readonly requireMayActivate?: (
    trx: Trx,
    caller: ProductPrincipal,
    documentKey: string,
  ) => Promise<void> | void;
  readonly view: (revision: Revision) => View;
  /**
   * Locks, before the document, its owner and what must not be removed during the change. Returns
   * why the document cannot change: the code for what is missing or has ended.
   */
  readonly lockFirst?: (
    trx: Trx,
    organizationId: string,
    documentKey: string,
  ) => Promise<ErrorCode | undefined>;
  /** The first revision of a key creates its document. */
  readonly createdByFirstRevision?: true;
  /**
   * Makes what a document has besides its revisions. Only the response to its first revision shows
   * the result.
   */
  readonly addToFirst?: (trx: Trx, runtime: Runtime, first: Revision) => Promise<Partial<View>>;
  /**
   * Whether the owner of the document exists. Then a document without revisions has an empty list
   * instead of a 404.
   */
  readonly ownerExists?: (db: Db, organizationId: string, documentKey: string) => Promise<boolean>;
  /**
   * What a stored revision names, for its warnings. It can take long, so it runs outside of
   * transactions.
   */
  readonly readNames?: (
    runtime: Runtime,
    principal: ProductPrincipal,
    revision: Revision,
  ) => Promise<Names>;
  /** Adds warnings to the response of a change. `names` as far as they are known. */
  readonly addWarnings?: (
    db: Db,
    organizationId: string,
    changed: { readonly view: View; readonly names?: Names | undefined },
  ) => Promise<View>;
}

/** What reads its documents in this edition. */
export function readerOf<Names, View>(
  { reader, hostedReader }: RevisionedKind<Names, View>,
  { edition }: Pick<Runtime, 'edition'>,
): DocumentReader<Names> {
  return edition === 'hosted' && hostedReader ? hostedReader : reader;
}

/** The document, and its kind. */
export interface DocumentRef<Names, View> {
  readonly kind: RevisionedKind<Names, View>;
  readonly documentKey: string;
}
