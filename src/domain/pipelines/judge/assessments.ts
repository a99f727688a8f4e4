/** What a language model read and answered about a request: evidence for people. */
import type { JsonText } from '../../../platform/json/exact-json.ts';
import type { RemoteErrorCode } from '../remote.ts';
import type { BlockOutcome, PipelineScope } from '../types.ts';

/** Members are null where the model gave no valid answer. */
export interface Assessment {
  readonly scope: PipelineScope;
  readonly blockId: string;
  readonly model: string;
  /** What the block answered: `human` where the model was not sure enough. */
  readonly outcome: BlockOutcome | null;
  /** A number, as the model wrote it. */
  readonly confidence: JsonText | null;
  /** The words of the model. */
  readonly reason: string | null;
  readonly errorCode: RemoteErrorCode | null;
  /** The whole prompt. */
  readonly input: string;
  /** The whole answer. */
  readonly output: string;
  /** A `Cost`. */
  readonly cost: JsonText | null;
  readonly createdAt: Date;
}
