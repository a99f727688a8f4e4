/** Whether a repeated call has the same input as the first one. */
import type { ApprovalRequest } from '../../../domain/requests/approval-requests.ts';
import type { NewApprovalRequest } from '../../../domain/requests/engine/create.ts';
import { type JsonText, parseExact } from '../../../platform/json/exact-json.ts';
import { exactEquals } from '../../../platform/json/exact-values.ts';
import type { Runtime } from '../../context.ts';
import { isLarge } from '../../heavy-work.ts';

type TextPair = readonly [string, string];

/**
 * Key order, white space and the spelling of numbers do not matter; the text of the timeout does.
 * Equal texts are equal values, so only members with different texts are parsed.
 */
export async function isSameInput(
  { workerPool }: Pick<Runtime, 'workerPool'>,
  original: ApprovalRequest,
  repeated: NewApprovalRequest,
): Promise<boolean> {
  const { tool, server, timeout } = original;
  if (tool !== repeated.tool || server !== repeated.server || timeout !== repeated.timeout)
    return false;
  const pairs = [
    pairOf(original.arguments, repeated.arguments),
    pairOf(original.agentReasoning, repeated.agentReasoning),
    pairOf(original.context, repeated.context),
  ].filter(([a, b]) => a !== b);
  if (pairs.length === 0) return true;
  return isLarge(pairs.flat())
    ? await workerPool.run(areEqualTexts, pairs, original.agentCredentialId)
    : areEqualTexts(pairs);
}

/** An absent member equals null. */
const pairOf = (a: JsonText | undefined, b: JsonText | undefined): TextPair => [
  a?.text ?? 'null',
  b?.text ?? 'null',
];

/** Whether the two JSON texts of each pair mean the same value. */
export function areEqualTexts(pairs: readonly TextPair[]): boolean {
  return pairs.every(([a, b]) => exactEquals(parseExact(a), parseExact(b)));
}
