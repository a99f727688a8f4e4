/** Members who may decide requests of an agent. */

export interface Decider {
  readonly membershipId: string;
  readonly displayName: string;
}

/** How many of a team could be asked. */
export interface TeamReach {
  readonly teamId: string;
  readonly teamName: string;
  /** People who were not removed from the organization. */
  readonly memberCount: number;
  /** Of them, those that may not decide the requests of any agent. */
  readonly nonDeciders: number;
}
