/** What a webhook endpoint may return. Anything else is no result, so that no mistake approves a call. */
import { z } from 'zod';
import { ExactJsonError, JsonText, parseExact } from '../../platform/json/exact-json.ts';
import { isExactObject, type ExactObject } from '../../platform/json/exact-values.ts';
import { key, object, text } from '../grammar.ts';
import { readBy } from '../issues.ts';
import { BLOCK_OUTCOMES } from '../pipelines/document.ts';
import type { BlockOutcome } from '../pipelines/types.ts';

export interface WebhookResult {
  readonly outcome: BlockOutcome;
  readonly reason?: string;
  /** An object, as the text that came. */
  readonly metadata?: JsonText;
  /** Key of a path; only with `human`. */
  readonly escalationPath?: string;
}

const METADATA_BYTES = 16 * 1024;
/** The same as for bodies of requests. */
const MAX_DEPTH = 100;

const resultSchema = object({
  outcome: z.enum(BLOCK_OUTCOMES),
  reason: text('Why.', { min: 0, max: 2_000 }).optional(),
  metadata: z
    .custom<JsonText>((value) => value instanceof JsonText && isSmallObject(value))
    .optional(),
  escalation_path: key('Key of an escalation path.').optional(),
});

const isSmallObject = ({ text: json }: JsonText): boolean =>
  json.startsWith('{') && Buffer.byteLength(json) <= METADATA_BYTES;

const BYTE_ORDER_MARK = /^\ufeff/;

/**
 * Undefined for a text that is no valid result. A member that is null counts as absent, and a byte
 * order mark is skipped: many libraries write them.
 */
export function readWebhookResult(body: string): WebhookResult | undefined {
  const read = readBy(resultSchema, withoutNulls(parsed(body.replace(BYTE_ORDER_MARK, ''))));
  if (!read.ok) return undefined;
  const { outcome, reason, metadata, escalation_path: escalationPath } = read.value;
  if (escalationPath !== undefined && outcome !== 'human') return undefined;
  return {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(metadata && { metadata }),
    ...(escalationPath !== undefined && { escalationPath }),
  };
}

/** Undefined for text that is not one JSON value with distinct keys. */
function parsed(body: string): unknown {
  try {
    return parseExact(body, { keep: ['metadata'], maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof ExactJsonError) return undefined;
    throw error;
  }
}

function withoutNulls(result: unknown): unknown {
  if (!isExactObject(result)) return result;
  const isNull = (value: unknown): boolean =>
    value === null || (value instanceof JsonText && value.text === 'null');
  const given = Object.entries(result).filter(([, value]) => !isNull(value));
  return Object.assign(Object.create(null) as ExactObject, Object.fromEntries(given));
}
