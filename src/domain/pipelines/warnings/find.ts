/** Finds what the text of a pipeline alone shows to be probably not meant. */
import { canonicalJson, type ExactValue } from '../../../platform/json/exact-values.ts';
import type { Condition } from '../../conditions/document.ts';
import type { Block, StoredBlock } from '../types.ts';
import { fieldsMissed, uncoveredNegatives, withFields, type KnownFields } from './absence.ts';
import { isLimiting } from './limits.ts';
import { MOST_WARNINGS, type PipelineWarning } from './types.ts';

type AnyBlock = Block | StoredBlock;

/** In reading order of the blocks. Disabled blocks have no effect, so nothing is said about them. */
export function findPipelineWarnings(document: {
  readonly blocks: readonly AnyBlock[];
}): readonly PipelineWarning[] {
  const found: PipelineWarning[] = [];
  visitList(document.blocks, { found, isLimited: false, covered: new Set() });
  return found.slice(0, MOST_WARNINGS);
}

interface Place {
  readonly found: PipelineWarning[];
  /** A branch around the list limits which requests get there. */
  readonly isLimited: boolean;
  /** Fields whose absence blocks before these treat. */
  readonly covered: KnownFields;
}

function visitList(blocks: readonly AnyBlock[], place: Place): void {
  const missed = new Set<string>();
  const covered = withFields(place.covered, missed);
  const deciding = new Set<string>();
  let isDecided = false;
  for (const block of blocks) {
    if (place.found.length >= MOST_WARNINGS) return;
    if (!block.enabled) continue;
    if (isDecided) {
      place.found.push({ code: 'never_reached', blockId: block.id });
      continue;
    }
    if (block.type === 'always') isDecided = true;
    visitBlock(block, { ...place, covered, deciding });
    if (block.type === 'cel' && isRestricting(block))
      for (const field of fieldsMissed(block.config.when)) missed.add(field);
  }
}

interface BlockPlace extends Place {
  /** What the blocks before it in its list match: the later one of two has nothing to do. */
  readonly deciding: Set<string>;
}

function visitBlock(block: AnyBlock, place: BlockPlace): void {
  const { found, deciding } = place;
  const about = { blockId: block.id };
  if (block.type === 'always' && block.config.outcome === 'approve' && !place.isLimited)
    found.push({ code: 'approves_without_limit', ...about });
  if (block.type !== 'cel' && block.type !== 'branch') return;
  const { when } = block.config;
  const isLimited = place.isLimited || isLimiting(when);
  if (block.type === 'cel' && block.config.on_match === 'approve' && !isLimited)
    found.push({ code: 'approves_without_limit', ...about, conditionId: when.id });
  if (isRestricting(block))
    for (const { id } of uncoveredNegatives(when, place.covered))
      found.push({ code: 'negative_operator_on_optional_field', ...about, conditionId: id });
  const { text, repeated } = duplicatesIn(when);
  if (deciding.has(text)) repeated.unshift(when.id);
  for (const conditionId of repeated)
    found.push({ code: 'duplicate_condition', ...about, conditionId });
  if (block.type === 'branch') visitList(block.config.blocks, { ...place, isLimited });
  if (block.type === 'branch' || block.config.on_match !== 'next') deciding.add(text);
}

/** Whether a request that the condition does not meet gets further than one that it meets. */
const isRestricting = (block: AnyBlock): boolean =>
  block.type === 'branch' ||
  (block.type === 'cel' && (block.config.on_match === 'deny' || block.config.on_match === 'human'));

/** The condition as a text without ids, and the ids of parts that say the same as one before them. */
function duplicatesIn(condition: Condition): {
  readonly text: string;
  readonly repeated: string[];
} {
  if ('all' in condition || 'any' in condition) {
    const kind = 'all' in condition ? 'all' : 'any';
    const parts = 'all' in condition ? condition.all : condition.any;
    const seen = new Set<string>();
    const repeated: string[] = [];
    for (const part of parts) {
      const inside = duplicatesIn(part);
      repeated.push(...(seen.has(inside.text) ? [part.id] : inside.repeated));
      seen.add(inside.text);
    }
    return { text: `{"${kind}":[${[...seen].sort().join(',')}]}`, repeated };
  }
  if ('some' in condition || 'every' in condition) {
    const kind = 'some' in condition ? 'some' : 'every';
    const items = 'some' in condition ? condition.some : condition.every;
    const { text, repeated } = duplicatesIn(items.condition);
    return { text: `{"${kind}":[${JSON.stringify(items.field)},${text}]}`, repeated };
  }
  const { field, operator, value } = condition;
  return { text: canonicalJson([field, operator, value ?? null] as ExactValue), repeated: [] };
}

/** Keys that a document names, in its order, with the block that does. */
export interface NamedKeys {
  readonly paths: readonly { readonly pathKey: string; readonly blockId?: string }[];
  readonly endpoints: readonly { readonly endpointKey: string; readonly blockKey: string }[];
}

/** The keys that have an active revision. */
export interface ActiveKeys {
  readonly paths: ReadonlySet<string>;
  readonly endpoints: ReadonlySet<string>;
}

/** What activating the document would refuse, disabled blocks included. */
export function inactiveNames(
  { paths, endpoints }: NamedKeys,
  active: ActiveKeys,
): readonly PipelineWarning[] {
  return [
    ...paths
      .filter(({ pathKey }) => !active.paths.has(pathKey))
      .map(({ blockId }) => ({
        code: 'escalation_path_inactive' as const,
        ...(blockId !== undefined && { blockId }),
      })),
    ...endpoints
      .filter(({ endpointKey }) => !active.endpoints.has(endpointKey))
      .map(({ blockKey }) => ({ code: 'webhook_endpoint_inactive' as const, blockId: blockKey })),
  ].slice(0, MOST_WARNINGS);
}
