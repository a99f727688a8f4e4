/** Parses the body of a pipeline revision, and names every problem in it. */
import { isExactObject, type ExactValue } from '../../platform/json/exact-values.ts';
import { newConditionCheck, newConditionMeasure } from '../conditions/check.ts';
import { newNestingMeasure, readDocument, takeId, type Parsed, type Problems } from '../grammar.ts';
import type { Issue } from '../errors.ts';
import { pointerOf } from '../pointers.ts';
import type { Edition } from '../people/permissions.ts';
import { PIPELINE_LIMITS, pipelineGrammars } from './document.ts';
import { placedBlocks } from './nesting.ts';
import type { Block, PipelineDocument, StoredBlock } from './types.ts';

/** Parses `{blocks, default_escalation_path?}`. Pointers of issues are relative to that body. */
export function parsePipelineDocument(
  value: ExactValue,
  edition: Edition = 'open',
): Parsed<PipelineDocument> {
  return readDocument<PipelineGrammar>(
    { schema: pipelineGrammars[edition] as PipelineGrammar, measure, check },
    value,
  );
}

/** What the open edition reads, the hosted one reads, too. */
type PipelineGrammar = (typeof pipelineGrammars)['hosted'];

/** Limits the number of blocks, their nesting, and the size of their conditions. */
function measure(value: ExactValue, problems: Problems): void {
  const measureCondition = newConditionMeasure(problems);
  const { depth, blocks: items } = PIPELINE_LIMITS;
  const measureBlocks = newNestingMeasure(
    problems,
    { depth, items, noun: 'blocks' },
    ({ config }, path, measureInner) => {
      if (!isExactObject(config)) return;
      const at = [...path, 'config'];
      measureCondition(config['when'], [...at, 'when']);
      measureInner(config['blocks'], [...at, 'blocks']);
    },
  );
  if (isExactObject(value)) measureBlocks(value['blocks'], ['blocks']);
}

function check({ blocks }: PipelineDocument, problems: Problems): void {
  const ids = new Set<string>();
  const checkCondition = newConditionCheck(problems, ids);
  for (const { block, path } of placedBlocks(blocks)) {
    takeId(block.id, { ids, path: [...path], problems });
    if (block.type === 'cel' || block.type === 'branch')
      checkCondition(block.config.when, [...path, 'config', 'when']);
  }
}

/** Every webhook endpoint that a document names, with the block and the pointer to the name. */
export function namedEndpoints(document: {
  readonly blocks: readonly (Block | StoredBlock)[];
}): { readonly endpointKey: string; readonly blockKey: string; readonly pointer: string }[] {
  return placedBlocks(document.blocks).flatMap(({ block, path }) =>
    block.type === 'webhook'
      ? [
          {
            endpointKey: block.config.endpoint_key,
            blockKey: block.id,
            pointer: pointerOf([...path, 'config', 'endpoint_key']),
          },
        ]
      : [],
  );
}

/** Every judge of a document, with the model it names and the pointer to the name. */
export function namedModels(document: {
  readonly blocks: readonly (Block | StoredBlock)[];
}): { readonly model: string | undefined; readonly pointer: string }[] {
  return placedBlocks(document.blocks).flatMap(({ block, path }) =>
    block.type === 'llm_judge'
      ? [{ model: block.config.model, pointer: pointerOf([...path, 'config', 'model']) }]
      : [],
  );
}

/** The named models that are not among these. */
export function unknownModels(
  named: ReturnType<typeof namedModels>,
  models: readonly string[],
): Issue[] {
  return named
    .filter(({ model }) => model !== undefined && !models.includes(model))
    .map(({ pointer }) => ({
      pointer,
      code: 'unknown_model',
      message: `must be one of ${models.join(', ')}`,
    }));
}

export interface NamedPath {
  readonly pathKey: string;
  readonly pointer: string;
  /** Absent for the default path of the pipeline. */
  readonly blockId?: string;
}

/** Every escalation path that a document names, with the block and the pointer to the name. */
export function namedEscalationPaths(
  document: Pick<PipelineDocument, 'default_escalation_path'> & {
    readonly blocks: readonly (Block | StoredBlock)[];
  },
): NamedPath[] {
  const named = placedBlocks(document.blocks).flatMap(({ block: { id, config }, path }) => {
    const pathKey = config.escalation_path;
    const pointer = pointerOf([...path, 'config', 'escalation_path']);
    return pathKey === undefined ? [] : [{ pathKey, pointer, blockId: id }];
  });
  const { default_escalation_path: pathKey } = document;
  const fallback = { pathKey: pathKey ?? '', pointer: '/default_escalation_path' };
  return pathKey === undefined ? named : [...named, fallback];
}
