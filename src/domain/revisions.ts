/** Documents that are kept as numbered revisions. */
import { text } from './grammar.ts';

/** Of the body that creates a revision. It is no part of the document. */
export const revisionComment = () =>
  text('Why the revision is created, for people. Stored as sent.', {
    min: 0,
    max: 500,
  }).exactOptional();

/** A document without its content: which revision is active, if any, and which is the latest. */
export interface RevisionedDocument {
  readonly id: string;
  readonly documentKey: string;
  readonly activeRevision?: number;
  readonly latestRevision: number;
  readonly archivedAt?: Date;
}

/** A member, or a key of the organization, with its name now. */
export interface RevisionActor {
  readonly id: string;
  readonly kind: 'member' | 'api_key';
  readonly displayName: string;
}

/** How a revision came about. */
export interface RevisionHistory {
  readonly createdByActorId: string;
  readonly createdBy: RevisionActor;
  readonly createdAt: Date;
  /** Of the last activation. */
  readonly activatedBy?: RevisionActor;
  /** Of the last activation. */
  readonly activatedAt?: Date;
  /** Why it was created, as its author wrote it. */
  readonly comment?: string;
}

export interface Revision extends RevisionHistory {
  readonly id: string;
  readonly documentId: string;
  readonly documentKey: string;
  readonly revision: number;
  readonly isActive: boolean;
  /** Exact JSON text. */
  readonly document: string;
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

export function historyOf(revision: RevisionHistory): RevisionHistory {
  const { createdByActorId, createdBy, createdAt, activatedBy, activatedAt, comment } = revision;
  return {
    createdByActorId,
    createdBy,
    createdAt,
    ...(activatedBy && { activatedBy }),
    ...(activatedAt && { activatedAt }),
    ...(comment !== undefined && { comment }),
  };
}
