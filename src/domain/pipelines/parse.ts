/** Parses the body of a pipeline revision, and names every problem in it. */
import { isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import { newConditionCheck, newConditionMeasure } from '../conditions/check.ts';
import { readDocument, takeId, type Parsed, type Problems } from '../grammar.ts';
import { PIPELINE_LIMITS, pipelineDocumentSchema } from './document.ts';
import type { Block, PipelineDocument } from './types.ts';

/** Parses `{blocks, default_escalation_path?}`. Pointers of issues are relative to that body. */
export function parsePipelineDocument(value: ExactValue): Parsed<PipelineDocument> {
  return readDocument({ schema: pipelineDocumentSchema, measure, check }, value);
}

function measure(value: ExactValue, problems: Problems): void {
  const measureCondition = newConditionMeasure(problems);
  const blocks = isExactObject(value) && value['blocks'];
  if (!Array.isArray(blocks) || blocks.length > PIPELINE_LIMITS.blocks) return;
  for (const [index, each] of blocks.entries()) {
    const config = isExactObject(each) ? each['config'] : undefined;
    if (isExactObject(config))
      measureCondition(config['when'], ['blocks', index, 'config', 'when']);
  }
}

function check({ blocks }: PipelineDocument, problems: Problems): void {
  const ids = new Set<string>();
  const checkCondition = newConditionCheck(problems, ids);
  for (const [index, { id, type, config }] of blocks.entries()) {
    const path = ['blocks', index];
    takeId(id, { ids, path, problems });
    if (type === 'cel') checkCondition(config.when, [...path, 'config', 'when']);
  }
}

/** Every escalation path that a document names, with the pointer to the name. */
export function namedEscalationPaths(
  document: Pick<PipelineDocument, 'default_escalation_path'> & {
    readonly blocks: readonly Block[];
  },
): { readonly pathKey: string; readonly pointer: string }[] {
  const named = document.blocks.map(({ config }, index) => ({
    pathKey: config.escalation_path,
    pointer: `/blocks/${index}/config/escalation_path`,
  }));
  named.push({ pathKey: document.default_escalation_path, pointer: '/default_escalation_path' });
  return named.flatMap(({ pathKey, pointer }) =>
    pathKey === undefined ? [] : [{ pathKey, pointer }],
  );
}
