/**
 * What pipelines would have concluded about a past request. Nothing is asked again: the results
 * of other systems are those that the request got then.
 */
import type { ConditionFacts } from '../conditions/types.ts';
import {
  afterResult,
  knownMetadata,
  type BlockRef,
  type BlockResult,
  type RemoteBlock,
} from './remote.ts';
import type { PipelineScope } from './types.ts';
import { evaluateRequest, type Evaluating, type Verdict } from './verdict.ts';

/** What came of a block then, and the hash of what that block asked. */
export type StoredResult = BlockResult & { readonly contentHash: string };

export interface Replay extends Omit<Evaluating, 'facts'> {
  readonly facts: Omit<ConditionFacts, 'previous_metadata'>;
  readonly results: readonly StoredResult[];
}

/** Or the block that is reached and got no result then. */
export function replayRequest({ facts, results, ...pipelines }: Replay): Verdict | BlockRef {
  let now: ConditionFacts = { ...facts, previous_metadata: knownMetadata() };
  let last: BlockResult | undefined;
  for (;;) {
    const verdict = evaluateRequest({ ...pipelines, facts: now }, last);
    if (!('ask' in verdict)) return verdict;
    const { scope, ask } = verdict;
    const stored = storedFor(ask, scope, results);
    const ref = { scope, blockId: ask.id };
    if (!stored) return ref;
    const { result, ...after } = afterResult(now, ref, stored.result);
    now = after.facts;
    last = { ...ref, result };
  }
}

/**
 * The result of a block that asked the same. Blocks with another id count, too: the id says nothing
 * about what was asked.
 */
function storedFor(
  { id, content_hash: hash }: RemoteBlock,
  scope: PipelineScope,
  results: readonly StoredResult[],
): StoredResult | undefined {
  const same = results.filter(({ contentHash }) => contentHash === hash);
  return same.find((each) => each.scope === scope && each.blockId === id) ?? same[0];
}
