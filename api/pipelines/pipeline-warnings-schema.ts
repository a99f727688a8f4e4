/** Warnings about the rules of a pipeline. */
import { z } from 'zod';
import {
  PIPELINE_WARNING_CODES,
  type PipelineWarning,
} from '../../src/domain/pipelines/warnings/types.ts';

const pipelineWarning = z
  .strictObject({
    code: z.enum(PIPELINE_WARNING_CODES).meta({
      description:
        '`never_reached`: an `always` block before it in its list decides every request. ' +
        '`approves_without_limit`: it approves, and no test names what passes or gives an upper bound. ' +
        '`negative_operator_on_optional_field`: a request without the field passes the rule, because every operator but `not_exists` is false for it. ' +
        '`duplicate_condition`: a block or part before it has the same condition. ' +
        '`escalation_path_inactive`, `webhook_endpoint_inactive`: what it names has no active revision, so activating the pipeline is refused.',
    }),
    block_id: z
      .string()
      .optional()
      .meta({ description: 'The block; absent for the default escalation path.' }),
    condition_id: z
      .string()
      .optional()
      .meta({ description: 'The condition, where the warning is about one.' }),
  })
  .meta({ id: 'PipelineWarning', description: 'What was probably not meant.' });

export const pipelineWarnings = () =>
  z.array(pipelineWarning).meta({
    description:
      'Advice when a revision is previewed, created or activated; at most 100. Empty on reads. Warnings never refuse anything.',
  });

export function presentPipelineWarning({ code, blockId, conditionId }: PipelineWarning) {
  return { code, block_id: blockId, condition_id: conditionId };
}
