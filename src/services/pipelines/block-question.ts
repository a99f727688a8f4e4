/** What a block asks another system, and what came of it. Each type of block has its own way to ask. */
import type { VerbOf } from '../../domain/audit/events.ts';
import type { ConditionFacts } from '../../domain/conditions/types.ts';
import type {
  BlockRef,
  RemoteBlock,
  RemoteErrorCode,
  RemoteResult,
} from '../../domain/pipelines/remote.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';

export interface BlockQuestion<Block extends RemoteBlock = RemoteBlock> {
  readonly organizationId: string;
  readonly scope: BlockRef['scope'];
  readonly block: Block;
  /** Of the pipeline. Absent in a preview. */
  readonly revision?: number;
  readonly facts: ConditionFacts;
  /** The request that the facts are about. Absent in a preview. */
  readonly request?: ApprovalRequest;
  /** The same for all attempts. */
  readonly deliveryId: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What came of an attempt. */
export interface BlockReply {
  readonly result: RemoteResult;
  /** Another attempt may succeed. Only for a failure. */
  readonly mayPass?: boolean;
  /** The other system asks to wait this long before it. */
  readonly retryAfterMs?: number;
  /** What the timeline says besides. Never what was sent or returned. */
  readonly observed?: Readonly<Record<string, unknown>>;
  /** An event in addition to that of the attempt, written only when the result counts. */
  readonly event?: {
    readonly verb: VerbOf<'approval_request'>;
    readonly data: Readonly<Record<string, unknown>>;
  };
  /** Keeps what people look up later, in the transaction that records the attempt. */
  readonly keep?: (db: Db) => Promise<void>;
}

/** A failure that no further attempt changes. */
export function failedFor(errorCode: RemoteErrorCode): BlockReply {
  return { result: { errorCode } };
}
