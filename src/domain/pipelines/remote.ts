/** Blocks that ask another system: how long they may take, and what their stored results mean. */
import {
  JsonText,
  parseExact,
  stringifyExact,
  type KeptObject,
} from '../../platform/json/exact-json.ts';
import type { ExactObject } from '../../platform/json/exact-values.ts';
import type { ConditionFacts } from '../conditions/types.ts';
import { parseDuration } from '../durations.ts';
import type { ErrorCause } from '../error-causes.ts';
import type { Cost } from './judge/cost.ts';
import type { BlockOutcome, PipelineScope, StoredBlock } from './types.ts';

/** Why a block got no valid result. */
export const REMOTE_ERRORS = [
  'timeout',
  'connection_failed',
  'egress_denied',
  'unexpected_status',
  'answer_too_large',
  'invalid_answer',
  'metadata_too_large',
  'endpoint_inactive',
  'secrets_key_missing',
  'attempts_exhausted',
  'judge_unavailable',
  'judge_invalid_answer',
  'judge_input_too_large',
  'judge_budget_exhausted',
] as const;
export type RemoteErrorCode = (typeof REMOTE_ERRORS)[number];

const REMOTE_TYPES = ['webhook', 'llm_judge'] as const;
export type RemoteBlock = Extract<StoredBlock, { type: (typeof REMOTE_TYPES)[number] }>;
export type WebhookBlock = Extract<StoredBlock, { type: 'webhook' }>;
export type JudgeBlock = Extract<StoredBlock, { type: 'llm_judge' }>;

export function isRemote(block: StoredBlock): block is RemoteBlock {
  return (REMOTE_TYPES as readonly string[]).includes(block.type);
}

/** Where a block is: block ids are unique in one pipeline only. */
export interface BlockRef {
  readonly scope: PipelineScope;
  readonly blockId: string;
}

/** What the other system returned. */
export interface RemoteSuccess {
  readonly outcome: BlockOutcome;
  readonly reason?: string;
  /** An object, as the text that came. */
  readonly metadata?: JsonText;
  /** Key of a path; only with `human`. */
  readonly escalationPath?: string;
}

/** Why there is no result. `errorCause`: where a connection failed. */
export interface RemoteFailure {
  readonly errorCode: RemoteErrorCode;
  readonly errorCause?: ErrorCause;
}

/** What came of a remote block: what was returned, or the failure of its last attempt. */
export type RemoteResult = (RemoteSuccess | RemoteFailure) & {
  /** Of the attempt that gave the result. */
  readonly cost?: Cost;
};

export type BlockResult = BlockRef & { readonly result: RemoteResult };

interface RemoteVerdict {
  readonly outcome: BlockOutcome;
  readonly reason?: string;
  readonly escalation_path?: string;
  readonly error_code?: RemoteErrorCode;
  readonly error_cause?: ErrorCause;
}

/** What a block concludes from this result. A failed one never approves. */
export function remoteVerdict(block: RemoteBlock, result: RemoteResult): RemoteVerdict {
  const { name, config } = block;
  const { escalation_path: own } = config;
  if ('errorCode' in result) {
    const why = errorOf(result);
    if (block.type === 'webhook' && block.config.on_error === 'deny')
      return { outcome: 'deny', reason: `${name} gave no valid answer.`, ...why };
    return { outcome: 'human', ...why, ...(own !== undefined && { escalation_path: own }) };
  }
  const { outcome } = result;
  const reason = reasonOf(block, result);
  const path = outcome === 'human' ? (result.escalationPath ?? own) : undefined;
  return {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(path !== undefined && { escalation_path: path }),
  };
}

/** A failure as previews and the timeline show it. */
export function errorOf({
  errorCode,
  errorCause,
}: RemoteFailure): Pick<RemoteVerdict, 'error_code' | 'error_cause'> {
  return { error_code: errorCode, ...(errorCause && { error_cause: errorCause }) };
}

function reasonOf({ type, name, config }: RemoteBlock, success: RemoteSuccess): string | undefined {
  if (type === 'webhook' && success.reason !== undefined && success.reason !== '')
    return success.reason;
  if (config.reason !== undefined) return config.reason;
  if (success.outcome === 'next') return `${name} passed the request on.`;
  return type === 'llm_judge' && success.outcome !== 'human' ? `Decided by ${name}.` : undefined;
}

/** One attempt beyond its timeout: reading what to ask, and recording the result. */
const ATTEMPT_MARGIN_MS = 5_000;
/** Between attempts: first, then doubled up to the longest. */
export const FIRST_PAUSE_MS = 500;
export const LONGEST_PAUSE_MS = 10_000;
/** Longest pause that a response may ask for. */
export const LONGEST_RETRY_AFTER_MS = 30_000;

export function timeoutOf({ timeout }: RemoteBlock): number {
  return parseDuration(timeout) ?? 0;
}

/** How long an attempt belongs to the one who began it. */
export function leaseOf(block: RemoteBlock): number {
  return timeoutOf(block) + ATTEMPT_MARGIN_MS;
}

/** The pause after an attempt that failed, unless the response asked for another one. */
export function pauseAfter(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
}

/** All attempts with the longest pauses between them. */
export function longestAsking(block: RemoteBlock): number {
  const { max_attempts: attempts } = block;
  return attempts * leaseOf(block) + (attempts - 1) * LONGEST_RETRY_AFTER_MS;
}

/** Bytes of all metadata of one request, as JSON. */
export const LONGEST_METADATA = 256 * 1024;

/** `{organization, agent}` with the metadata of one more block. Undefined when that is too much. */
export function addMetadata(
  previous: JsonText | undefined,
  { scope, blockId }: BlockRef,
  metadata: JsonText,
): JsonText | undefined {
  const known = knownMetadata(previous);
  const text = stringifyExact({
    ...known,
    [scope]: { ...(parseExact(known[scope].text) as ExactObject), [blockId]: metadata },
  });
  return Buffer.byteLength(text) > LONGEST_METADATA ? undefined : new JsonText(text);
}

const SCOPES = ['organization', 'agent'] as const satisfies readonly PipelineScope[];
const NO_METADATA = new JsonText('{"organization":{},"agent":{}}');

/** By scope and block id. */
export function knownMetadata(
  previous: JsonText = NO_METADATA,
): Readonly<Record<PipelineScope, JsonText>> {
  const { organization, agent } = parseExact(previous.text, { keep: [...SCOPES] }) as KeptObject;
  return { organization, agent } as Readonly<Record<PipelineScope, JsonText>>;
}

/** The result as it counts, with all metadata of the request if the result adds some. */
export function counting(
  previous: JsonText | undefined,
  ref: BlockRef,
  result: RemoteResult,
): { readonly result: RemoteResult; readonly previousMetadata?: JsonText } {
  const metadata = 'outcome' in result ? result.metadata : undefined;
  if (!metadata) return { result };
  const previousMetadata = addMetadata(previous, ref, metadata);
  return previousMetadata
    ? { result, previousMetadata }
    : { result: { errorCode: 'metadata_too_large' } };
}

/** The same, with what conditions after the block see. */
export function afterResult(
  facts: ConditionFacts,
  ref: BlockRef,
  given: RemoteResult,
): { readonly facts: ConditionFacts; readonly result: RemoteResult } {
  const before = new JsonText(stringifyExact(facts.previous_metadata));
  const { result, previousMetadata } = counting(before, ref, given);
  if (!previousMetadata) return { facts, result };
  return { facts: { ...facts, previous_metadata: knownMetadata(previousMetadata) }, result };
}

/** A result as it is read back: the metadata is in the request, and only the block keeps its cost. */
export function asStored(result: RemoteResult): RemoteResult {
  if ('errorCode' in result) {
    const { errorCode, errorCause } = result;
    return { errorCode, ...(errorCause && { errorCause }) };
  }
  const { outcome, reason, escalationPath } = result;
  return {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(escalationPath !== undefined && { escalationPath }),
  };
}

/** A result as it is stored. What only a later release knows is a failure, which ends at a person. */
export function storedResult({
  outcome,
  errorCode,
  errorCause,
  ...success
}: Omit<RemoteSuccess, 'outcome'> & {
  readonly outcome: BlockOutcome | null;
  readonly errorCode: RemoteErrorCode | null;
  readonly errorCause?: ErrorCause | null;
}): RemoteResult {
  if (outcome !== null) return { outcome, ...success };
  return { errorCode: errorCode ?? 'invalid_answer', ...(errorCause && { errorCause }) };
}
