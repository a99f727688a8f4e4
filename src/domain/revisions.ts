/** Documents that are kept as numbered revisions. */

/** A document without its content: which revision is active, if any, and which is the latest. */
export interface RevisionedDocument {
  readonly id: string;
  readonly documentKey: string;
  readonly activeRevision?: number;
  readonly latestRevision: number;
  readonly archivedAt?: Date;
}

export interface Revision {
  readonly id: string;
  readonly documentId: string;
  readonly documentKey: string;
  readonly revision: number;
  readonly isActive: boolean;
  /** Exact JSON text. */
  readonly document: string;
  readonly createdByActorId: string;
  readonly createdAt: Date;
  /** When the document, with all its revisions, was archived. */
  readonly archivedAt?: Date;
}

export interface RevisionSummary extends RevisionedDocument {
  /** Of the latest revision. */
  readonly name?: string;
  /** Of the latest revision. */
  readonly url?: string;
  readonly latestCreatedAt: Date;
}

export type ArchiveStatus = 'live' | 'archived' | 'all';
