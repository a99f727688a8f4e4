/** What every use case gets besides its input: the runtime, and the pool it opens transactions on. */
import type { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Pool } from '../platform/postgres.ts';
import type { Edition } from '../domain/people/permissions.ts';
import type { TokenPrice } from '../domain/pipelines/judge/cost.ts';
import type { ApprovalRequest, RuleRevisions } from '../domain/requests/approval-requests.ts';
import type { WakeSignal } from '../platform/wake-signal.ts';
import type { ChangeHub } from '../platform/change-hub.ts';
import type { Egress } from '../platform/network/egress.ts';
import type { LanguageModel } from '../platform/language-models/language-model.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { OidcClient } from '../platform/oidc.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { SigningKey } from '../platform/crypto/signing-key.ts';
import type { SlackApi } from '../platform/slack.ts';
import type { WorkerPool } from '../platform/threads/worker-pool.ts';
import type { Deployment, Workflows } from './ports.ts';
import type { Metrics } from './metrics.ts';
import type { WorkflowSync } from './engine/workflow-sync.ts';
import type { SignedEnds } from './audit/signed-ends.ts';
import type { HeldCredentials } from './access/held-credentials.ts';
import type { QueueWatch } from './requests/waiting/queue-watch.ts';

export interface Limits {
  /** Requests waiting for people, per organization. */
  readonly pendingRequests: number;
  /** Agents that are not archived, per organization. */
  readonly activeAgents: number;
  /** Calls a minute one credential may make to this process; 0 is no limit. */
  readonly callsPerMinute: number;
  /** Milliseconds a create waits for the pipeline before it returns `pending`. */
  readonly createBudgetMs: number;
  /** Default and greatest life of an agent credential, in milliseconds. */
  readonly agentCredentialLifetimeMs: number;
  /** Default and greatest life of a provisioner token, in milliseconds. */
  readonly provisionerLifetimeMs: number;
  /** Longest life of a new API key, in milliseconds; undefined when only organizations limit it. */
  readonly apiKeyLifetimeMs: number | undefined;
  /** Members who were not removed and pending invitations, per organization. */
  readonly seats: number;
}

/** The call that creates a request runs its rules. */
export interface InlineRules {
  /** By organization and agent: the revisions that were active when this process last saw them. */
  readonly revisions: LRUCache<string, RuleRevisions>;
}

/** The models that judges ask. */
export interface Judge extends LanguageModel {
  /** Judges that name none use the first. */
  readonly models: readonly string[];
  readonly prices: ReadonlyMap<string, TokenPrice>;
  /** For one organization and day. */
  readonly dailyTokens: number;
}

/** What every use case gets. Code inside a transaction takes `trx: Trx` first, then this. */
export interface Runtime {
  readonly changes: ChangeHub<ApprovalRequest>;
  readonly workflows: Workflows;
  readonly workflowSync: WorkflowSync;
  readonly deployment: Deployment;
  readonly limits: Limits;
  /** Where the pipelines run. Undefined: in workflows. */
  readonly inlineRules: InlineRules | undefined;
  readonly edition: Edition;
  /**
   * Encrypts secrets that must be readable again. Undefined without a secrets key: then operations
   * that need it respond with 501.
   */
  readonly secrets: SecretBox | undefined;
  /** The only way to call addresses that users name. */
  readonly egress: Egress;
  /** For work that would hold the event loop for 20 ms or more. */
  readonly workerPool: WorkerPool;
  /** Undefined on a deployment that sends no email. */
  readonly mailer: Mailer | undefined;
  /** Undefined in the open edition, and on a deployment without a language model. */
  readonly judge: Judge | undefined;
  readonly logger: Logger;
  /** Aborted on shutdown: parked waits then return the current state. */
  readonly stopping: AbortSignal;
  readonly metrics: Metrics;
  /**
   * Where people reach the service, known once it listens. Every link is built from it, never from
   * a request's Host header.
   */
  readonly publicUrl: () => string;
}

/** For calls that wait. */
export interface WaitingPorts {
  readonly heldCredentials: HeldCredentials;
  /** Calls that wait for changes in a queue. */
  readonly queueWatch: QueueWatch;
}

/** For signing the audit log. */
export interface AuditPorts {
  /** Signs checkpoints of the audit log. Undefined without COUNTERSIGN_AUDIT_KEY. */
  readonly auditKey: SigningKey | undefined;
  /** What was signed last of each audit log, outside the database. */
  readonly signedEnds: SignedEnds;
  /** Owners get checkpoints of the audit log by email. */
  readonly auditMail: boolean;
}

/** For channels other than email. */
export interface MessagePorts {
  /** Push services in addition to the known ones. */
  readonly pushHosts: readonly string[];
  readonly slack: SlackApi;
  /** Wakes when this process has recorded a press of a button in Slack. */
  readonly slackPressed: WakeSignal;
}

/** For sign-in through an identity provider. */
export interface SignInPorts {
  /** Undefined on a deployment without an identity provider. */
  readonly oidc: OidcClient | undefined;
}

/** For making the organization. */
export interface BootstrapPorts {
  /** The file with the secret that lets the first owner in. Read at each attempt. */
  readonly bootstrapSecretFile: string;
}

/**
 * For use cases. Code inside a transaction takes `trx` and `Runtime` instead, so that it cannot wait
 * for a second connection.
 */
export interface ServiceContext extends Runtime {
  readonly db: Pool;
}

export type WaitingContext = ServiceContext & WaitingPorts;
export type AuditContext = ServiceContext & AuditPorts;
export type MessageContext = ServiceContext & MessagePorts;
export type SignInContext = ServiceContext & SignInPorts;
export type BootstrapContext = ServiceContext & BootstrapPorts;

/** All of it, for what puts use cases together: endpoints, activities and the process. */
export interface AppRuntime
  extends Runtime, WaitingPorts, AuditPorts, MessagePorts, SignInPorts, BootstrapPorts {}

export interface AppContext extends AppRuntime {
  readonly db: Pool;
}
