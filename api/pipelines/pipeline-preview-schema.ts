/** The input and the response of a pipeline preview. */
import { z } from 'zod';
import { ERROR_CAUSES } from '../../src/domain/error-causes.ts';
import { reportedOutcome } from '../../src/domain/pipelines/evaluate.ts';
import { BLOCK_OUTCOMES, pipelineMembers } from '../../src/domain/pipelines/document.ts';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactObject } from '../../src/platform/json/exact-values.ts';
import type { PreviewedPipeline } from '../../src/services/pipelines/request-approval-pipelines.ts';
import { readByDomain, serverName, slug, toolName } from '../http/schema.ts';
import { pipelineWarnings, presentPipelineWarning } from './pipeline-warnings-schema.ts';

const exactMember = (description: string) =>
  z
    .custom<ExactObject>(isObject, { error: 'must be a JSON object' })
    .meta({ description, override: { type: 'object' } });

const isObject = (value: unknown): boolean =>
  value instanceof JsonText ? value.text.startsWith('{') : isExactObject(value);

export const emptyObject = (): ExactObject => Object.create(null) as ExactObject;

/** A call, as rules see it. */
export const callSample = z
  .strictObject({
    tool: toolName('Name of the tool.'),
    server: serverName('Alias of the MCP server.').optional(),
    arguments: exactMember('Arguments of the call.'),
    agent_reasoning: z.string().optional().meta({ description: "The agent's own claim." }),
    context: exactMember('Where the call comes from.').optional(),
  })
  .meta({ description: 'The call to evaluate.' });

const sampleSchema = z
  .strictObject({
    request: callSample,
    agent: z
      .strictObject({
        slug: slug('Slug of the agent; in an agent pipeline it must be that agent’s.'),
        name: z.string().meta({ description: 'Display name of the agent.' }),
      })
      .meta({ description: 'The agent that makes the call.' }),
    previous_metadata: z
      .strictObject({
        organization: exactMember("Of the organization's blocks, by block id.").default(
          emptyObject,
        ),
        agent: exactMember("Of the agent's blocks, by block id.").default(emptyObject),
      })
      .default(() => ({ organization: emptyObject(), agent: emptyObject() }))
      .meta({
        description:
          'What earlier blocks that ask other systems returned. A preview adds what its own blocks return.',
      }),
  })
  .meta({ description: 'A request as a pipeline sees it. Numbers keep every digit.' });

export const costSchema = z
  .strictObject({
    input_tokens: z.int().meta({ description: 'Tokens that the model read.' }),
    output_tokens: z.int().meta({ description: 'Tokens that it wrote.' }),
    amount: z
      .string()
      .optional()
      .meta({ description: 'A decimal; absent when the deployment names no price.' }),
    currency: z
      .string()
      .optional()
      .meta({ description: 'Of the amount, such as `USD`; absent with it.' }),
  })
  .meta({ id: 'JudgeCost', description: 'What one call of a language model cost.' });

/** A document, and the sample for it. */
export const previewBody = z.strictObject({
  blocks: readByDomain(pipelineMembers.blocks),
  default_escalation_path: readByDomain(pipelineMembers.default_escalation_path),
  sample: sampleSchema,
});

export const previewSchema = z
  .strictObject({
    outcome: z
      .enum(['approve', 'deny', 'human'])
      .meta({ description: 'What the pipeline, seen on its own, does with the sample.' }),
    reason_code: z.enum(['block_outcome', 'block_error', 'end_of_branch', 'end_of_pipeline']).meta({
      description:
        'A block decided, a block failed, no block of the entered branch decided, or every block passed the sample on.',
    }),
    terminal_block_id: z.string().optional().meta({
      description: 'The block that decided or failed, or the branch; absent when there is none.',
    }),
    escalation_path: z.string().optional().meta({
      description:
        'Key of the path that would find a person, within this scope; absent when none would.',
    }),
    escalation_path_source: z
      .enum(['block_escalation', 'pipeline_default', 'no_escalation'])
      .meta({ description: 'What named the path. `no_escalation` also for automatic outcomes.' }),
    blocks: z
      .array(
        z.strictObject({
          block_id: z.string().meta({ description: 'The block.' }),
          position: z.int().meta({
            description: 'Its place in reading order, from 0. Blocks of a branch come after it.',
          }),
          outcome: z
            .enum([...BLOCK_OUTCOMES, 'enter'])
            .meta({ description: 'Its outcome; `enter`: the sample entered the branch.' }),
          reason: z.string().optional().meta({
            description:
              'Why, also when the block passed the sample on. Absent when the block failed, or when another system asks for a person and neither that system nor the block says why.',
          }),
          error_code: z
            .string()
            .optional()
            .meta({ description: 'Why it failed; present only if it did.' }),
          error_cause: z.enum(ERROR_CAUSES).optional().meta({
            description: 'What to look at, where a connection to the other system failed.',
          }),
          metadata: z
            .custom<JsonText>((value) => value instanceof JsonText)
            .optional()
            .meta({
              description: 'What the other system returned besides its outcome.',
              override: { type: 'object' },
            }),
          cost: costSchema
            .optional()
            .meta({ description: 'What asking the model took; absent when that is unknown.' }),
          end_of_branch: z.literal(true).optional().meta({
            description: 'Only in the closing entry of a branch that the sample ran out of.',
          }),
        }),
      )
      .meta({ description: 'Each block reached, in order.' }),
    warnings: pipelineWarnings(),
  })
  .meta({ id: 'PipelinePreview', description: 'What a pipeline would decide.' });

export function presentPreview({ evaluation, warnings }: PreviewedPipeline) {
  return {
    outcome: reportedOutcome(evaluation),
    reason_code: evaluation.reason_code,
    terminal_block_id: evaluation.terminal_block_id,
    escalation_path: evaluation.escalation_path,
    escalation_path_source: evaluation.escalation_path_source,
    blocks: evaluation.blocks,
    warnings: warnings.map(presentPipelineWarning),
  };
}
