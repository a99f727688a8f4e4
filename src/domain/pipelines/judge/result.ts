/** What a judge may return. Anything else is no result, so that no mistake of a model approves a call. */
import { z } from 'zod';
import { compareDecimals, type ExactNumber } from '../../../platform/json/exact-values.ts';
import { object, share, text } from '../../grammar.ts';
import { readBy } from '../../issues.ts';
import type { JudgeBlock } from '../remote.ts';
import type { BlockOutcome } from '../types.ts';

const REASON_CHARACTERS = 2_000;

export interface JudgeResult {
  /** The outcome of the block: `human` where the model is not sure enough. */
  readonly outcome: BlockOutcome;
  readonly confidence: number | ExactNumber;
  /** The words of the model, for people who review its results. */
  readonly reason: string;
}

type Outcomes = Pick<JudgeBlock['config'], 'outcomes'>;

/** The schema of the result, in the part of JSON Schema that every provider takes. */
export function resultSchema({ outcomes }: Outcomes): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: {
      outcome: { type: 'string', enum: outcomes },
      confidence: { type: 'number', description: 'From 0 to 1.' },
      reason: { type: 'string', description: 'One or two sentences.' },
    },
    required: ['outcome', 'confidence', 'reason'],
    additionalProperties: false,
  };
}

/** Undefined for a value that is no valid result. */
export function readJudgeResult(
  value: unknown,
  { outcomes, min_confidence: least }: Outcomes & Pick<JudgeBlock['config'], 'min_confidence'>,
): JudgeResult | undefined {
  const schema = object({
    outcome: z.enum(outcomes),
    confidence: share('How sure the model is.'),
    reason: text('Why.', { min: 0, max: REASON_CHARACTERS }),
  });
  const read = readBy(schema, value);
  if (!read.ok) return undefined;
  const { outcome, confidence, reason } = read.value;
  const isSure = compareDecimals(confidence, least) >= 0;
  return { outcome: isSure ? outcome : 'human', confidence, reason };
}
