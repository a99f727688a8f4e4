/** What a language model read and concluded about a request: evidence for people. */
import type { JsonText } from '../../../platform/json/exact-json.ts';
import type { RemoteErrorCode } from '../remote.ts';
import type { BlockOutcome, PipelineScope } from '../types.ts';

/** Members are null where the model gave no valid result. */
export interface Assessment {
  readonly scope: PipelineScope;
  readonly blockId: string;
  readonly model: string;
  /** The outcome of the block: `human` where the model was not sure enough. */
  readonly outcome: BlockOutcome | null;
  /** A number, as the model wrote it. */
  readonly confidence: JsonText | null;
  /** The words of the model. */
  readonly reason: string | null;
  readonly errorCode: RemoteErrorCode | null;
  /** The whole prompt. */
  readonly input: string;
  /** The whole response of the model. */
  readonly output: string;
  /** A `Cost`. */
  readonly cost: JsonText | null;
  readonly createdAt: Date;
}
