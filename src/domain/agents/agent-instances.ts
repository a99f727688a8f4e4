/** A running copy of an agent, as its credential names it. */
import type { RequestTrend } from './agents.ts';
import type { JsonText } from '../../platform/json/exact-json.ts';

/** A name for an instance that was given none. `random`: a few bytes. */
export function generatedName(agentSlug: string, random: Buffer): string {
  return `${agentSlug}-${random.toString('hex')}`;
}

export interface AgentInstance {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** The JSON text as received. */
  readonly metadata: JsonText;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

/** A credential without its secret. */
export interface CredentialRecord {
  readonly id: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface ListedInstance extends AgentInstance {
  /** Newest first. */
  readonly credentials: readonly CredentialRecord[];
  readonly requestTrend: RequestTrend;
  readonly recentRequestCount: number;
}
