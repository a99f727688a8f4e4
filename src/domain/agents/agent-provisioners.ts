/** A token with which a fleet makes instances of its agent. The secret is not part of it. */

export interface AgentProvisioner {
  readonly id: string;
  readonly organizationId: string;
  readonly agentSlug: string;
  /** The membership or organization key that issued it. */
  readonly createdByActorId: string;
  /** The last six characters of the token. */
  readonly suffix: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** When it last created an instance. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}
