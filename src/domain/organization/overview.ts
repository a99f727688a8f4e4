/** What those who manage an organization look at first: figures about what they may see. */
import type { ApiKeyKind } from '../people/api-keys.ts';

/** The figures of decisions are about so many days. */
export const DECIDED_DAYS = 7;
/** A credential ends soon within so many days. */
export const ENDING_DAYS = 14;
/** An agent is silent after so many days without a call. */
export const SILENT_DAYS = 3;

export interface Waiting {
  readonly count: number;
  /** When the oldest of them was created. Absent while none waits. */
  readonly oldestAt?: Date;
}

export interface WaitingForTeam extends Waiting {
  readonly teamId: string;
  readonly teamName: string;
}

export interface DecidedFigures {
  /** They are about the decisions since then. */
  readonly since: Date;
  readonly byPeople: number;
  readonly byRules: number;
  readonly expired: number;
  /** From when people were asked to their decision: half of them were as fast. Absent without any. */
  readonly medianSeconds?: number;
  /** So fast or faster: 95 %. */
  readonly longSeconds?: number;
}

export interface EndingAgent {
  readonly slug: string;
  readonly name: string;
  /** When the first of them ends. */
  readonly endsAt: Date;
  /** Instances that have no credential left then. */
  readonly instanceCount: number;
  readonly provisionerCount: number;
}

/** An API key that soon no longer works. */
export interface EndingKey {
  readonly id: string;
  readonly name: string;
  readonly kind: ApiKeyKind;
  readonly endsAt: Date;
  /** Whether the caller made it for themselves. */
  readonly isOwn: boolean;
}

export interface SilentAgent {
  readonly slug: string;
  readonly name: string;
  readonly lastSeenAt: Date;
}

/** The first of a list, and how many there are. */
export interface Firsts<Item> {
  readonly count: number;
  readonly agents: readonly Item[];
}

export interface Overview {
  readonly waiting: Waiting & {
    /** A request counts for each team of its escalation path. */
    readonly teams: readonly WaitingForTeam[];
    /** On paths without a team, and without a path. */
    readonly withoutTeam: Waiting;
  };
  readonly decided: DecidedFigures;
  readonly ending: Firsts<EndingAgent>;
  readonly endingKeys: { readonly count: number; readonly keys: readonly EndingKey[] };
  readonly silent: Firsts<SilentAgent>;
}
