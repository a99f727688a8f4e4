/** Turns a rule with many tests into a branch, whose rules see only what enters. Pure. */
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { readSource, type SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { withValue } from '../../../shared/editor/splices.ts';
import { rules as text } from '../text.ts';
import { freeId, takenIds } from '../../../shared/editor/fresh-ids.ts';

/** A rule whose tests must all hold, and are two or more. */
export function canBeBranch(block: ExactValue): boolean {
  const config = isExactObject(block) && block['type'] === 'cel' ? block['config'] : undefined;
  const when = isExactObject(config) ? config['when'] : undefined;
  const parts = isExactObject(when) ? when['all'] : undefined;
  return Array.isArray(parts) && parts.length > 1;
}

/**
 * Its simple tests say which requests enter; the rule with the others is inside. What enters and does not match goes to a
 * person from then on, and no longer to the rules after it.
 */
export function makeBranch(all: string, pointer: string): string {
  const block = readSource(all)?.at(pointer);
  const when = block?.at('/config/when');
  const parts = when?.at('/all')?.items ?? [];
  if (!block || !when || parts.length < 2) return all;
  const [outer, inner] = divided(parts);
  const taken = takenIds(all);
  const name = block.at('/name')?.source ?? stringifyExact(text.newNames.branch);
  const rule = withValue(block.source, '/config/when', groupOf(inner, when));
  const enters = outer.map(({ source }) => source);
  const [only] = enters;
  const entering =
    enters.length === 1 && only !== undefined
      ? only
      : `{"id":${stringifyExact(freeId(taken, 'enters'))},"all":[${enters.join(',')}]}`;
  const config = `{"when":${entering},"blocks":[${rule}],"reason":${stringifyExact(text.newReason)}}`;
  const id = stringifyExact(freeId(taken, 'branch'));
  return withValue(
    all,
    pointer,
    `{"id":${id},"name":${name},"type":"branch","enabled":true,"config":${config}}`,
  );
}

type Parts = readonly SourceValue[];

function divided(parts: Parts): readonly [outer: Parts, inner: Parts] {
  const isSimple = (part: SourceValue) => part.at('/field') !== undefined;
  const outer = parts.filter(isSimple);
  if (outer.length === 0 || outer.length === parts.length)
    return [parts.slice(0, 1), parts.slice(1)];
  return [outer, parts.filter((part) => !isSimple(part))];
}

/** A group of one part is that part. */
function groupOf(parts: Parts, group: SourceValue): string {
  const sources = parts.map(({ source }) => source);
  const [only] = sources;
  return sources.length === 1 && only !== undefined
    ? only
    : withValue(group.source, '/all', `[${sources.join(',')}]`);
}

/** How many groups are around the innermost test. */
export function groupsAround(condition: ExactValue | undefined): number {
  if (!isExactObject(condition)) return 0;
  const { all, any, some, every } = condition;
  const inner = [all, any].flatMap((parts) => (Array.isArray(parts) ? parts : []));
  const items = [some, every].flatMap((each) =>
    isExactObject(each) ? [each['condition'] ?? null] : [],
  );
  const parts = [...inner, ...items];
  return parts.length === 0 ? 0 : 1 + Math.max(...parts.map(groupsAround));
}
