/** A reviewer that another reviewer added to a request. */

/** `addedBy` is a membership. */
export interface AddedReviewer {
  readonly membershipId: string;
  readonly displayName: string;
  readonly addedBy: string;
  readonly addedAt: Date;
}
