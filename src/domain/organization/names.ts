/** The names of ids, for people who see an id and may not read the object. */

export const NAMED_KINDS = ['member', 'team', 'agent', 'agent_instance', 'api_key'] as const;

export interface Name {
  /** Of an agent: its slug. */
  readonly id: string;
  readonly kind: (typeof NAMED_KINDS)[number];
  readonly displayName: string;
}

/** Most ids of one call. */
export const MOST_NAMED = 200;
