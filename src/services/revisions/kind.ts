import type { ErrorCode } from '../../domain/errors.ts';
import type { Revision } from '../../domain/revisions.ts';
import type { RevisionTables } from '../../data/revisions.ts';
import type { Db } from '../../platform/postgres.ts';
import type { DocumentReader } from '../read-documents.ts';

/** What makes one kind of document differ from the others. `Names` is what its documents name, `View` what callers get to see. */
export interface RevisionedKind<Names, View> {
  readonly tables: RevisionTables;
  /** Subject of its audit events, which name the document by its key. */
  readonly subject: string;
  /** Why nothing can be added to or activated in an archived document. */
  readonly archivedCode: ErrorCode;
  /** What the audit log says about a document besides its key. */
  readonly auditData: (documentKey: string) => Readonly<Record<string, unknown>>;
  readonly reader: DocumentReader<Names>;
  /** Throws 400 for what the document names but does not exist. */
  readonly checkReferences: (
    trx: Db,
    organizationId: string,
    named: { documentKey: string; names: Names },
  ) => Promise<void>;
  /** Makes a document that was read the successor of the latest revision. */
  readonly succeed?: (text: string, latest: Revision) => string;
  /** Records the targets and documents that a new revision names. */
  readonly recordReferences: (
    trx: Db,
    named: { revisionId: string; names: Names },
  ) => Promise<void>;
  /** Throws 409 for what must be active, or still there, before this revision can be active. */
  readonly checkActivation?: (trx: Db, organizationId: string, revision: Revision) => Promise<void>;
  readonly view: (revision: Revision) => View;
  /**
   * Locks, before the document, what it belongs to and what must not be taken away while it changes. Throws 404 and 409 for
   * what is not there or has ended.
   */
  readonly lockFirst?: (trx: Db, organizationId: string, documentKey: string) => Promise<unknown>;
  /** The first revision of a key creates its document. */
  readonly bornByRevision?: true;
  /** Whether the owner of the document exists. A document without revisions is then an empty list instead of a 404. */
  readonly ownerExists?: (db: Db, organizationId: string, documentKey: string) => Promise<boolean>;
  /** Adds advice to what a change answers. */
  readonly advise?: (db: Db, organizationId: string, view: View) => Promise<View>;
}

/** Which document of which kind. */
export interface Of<Names, View> {
  readonly kind: RevisionedKind<Names, View>;
  readonly documentKey: string;
}
