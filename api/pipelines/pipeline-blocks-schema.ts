/** The shape of pipelines: blocks as answers show them, and what a body may hold. The domain alone judges what is sent. */
import { z } from 'zod';
import { DURATION_PATTERN } from '../../src/domain/durations.ts';
import { KEY_PATTERN } from '../../src/domain/keys.ts';
import {
  ALWAYS_OUTCOMES,
  BLOCK_OUTCOMES,
  PIPELINE_LIMITS,
} from '../../src/domain/pipelines/types.ts';
import type { ExactValue } from '../../src/platform/exact-json.ts';
import { conditionSchema } from './conditions-schema.ts';
import { uuid } from '../http/schema.ts';

const reason = () =>
  z.string().meta({ description: 'Why, for people; the note of an automatic decision.' });

const escalationPath = () =>
  z.string().optional().meta({
    description:
      "Key of the path that finds a person; only with `human`. The pipeline's default when absent.",
  });

const alwaysConfig = z
  .strictObject({
    outcome: z
      .enum(ALWAYS_OUTCOMES)
      .meta({ description: 'What the block answers to every request.' }),
    reason: reason(),
    escalation_path: escalationPath(),
  })
  .meta({
    id: 'AlwaysConfig',
    description: 'A fixed outcome. Later blocks never run, but must be valid.',
  });

const celConfig = z
  .strictObject({
    when: conditionSchema.meta({ description: 'When the block answers.' }),
    on_match: z
      .enum(BLOCK_OUTCOMES)
      .meta({ description: 'What it answers then; otherwise the next block is asked.' }),
    reason: reason(),
    escalation_path: escalationPath(),
  })
  .meta({ id: 'CelConfig', description: 'An outcome under a condition.' });

const envelope = {
  id: z.string().meta({
    description: 'Identity of the block, unique in the document among blocks and conditions.',
  }),
  snapshot_id: uuid('Stays the same from revision to revision while the block does.'),
  name: z.string().meta({ description: 'Name for people.' }),
  enabled: z.boolean().meta({ description: 'A disabled block is skipped.' }),
  timeout: z.string().meta({
    description: 'How long a block that asks somebody may take, from 1s to 30s.',
    examples: ['5s'],
  }),
  max_attempts: z.int().meta({ description: 'How often it asks, 1 to 5.' }),
  config_version: z.int().meta({ description: 'Version of the format of `config`.' }),
  content_hash: z
    .string()
    .meta({ description: 'SHA-256, in hex, over the canonical JSON of type and config.' }),
};

export const storedBlockSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        ...envelope,
        type: z.literal('always').meta({ description: 'A fixed outcome.' }),
        config: alwaysConfig.meta({ description: 'What it answers.' }),
      })
      .meta({ id: 'AlwaysBlock', description: 'A block with a fixed outcome.' }),
    z
      .strictObject({
        ...envelope,
        type: z.literal('cel').meta({ description: 'A condition.' }),
        config: celConfig.meta({ description: 'What it answers, and when.' }),
      })
      .meta({ id: 'CelBlock', description: 'A block with a condition.' }),
  ])
  .meta({ id: 'PipelineBlock', description: 'One rule of a pipeline.' });

const blockInput = (type: string, config: string) => ({
  type: 'object' as const,
  description: 'A block; the server adds `snapshot_id`, `config_version` and `content_hash`.',
  required: ['id', 'name', 'type', 'config'],
  additionalProperties: false,
  properties: {
    id: {
      type: 'string' as const,
      pattern: KEY_PATTERN.source,
      description: 'Identity, unique among the blocks and conditions.',
    },
    name: {
      type: 'string' as const,
      minLength: 1,
      maxLength: PIPELINE_LIMITS.nameLength,
      description: 'Name for people.',
    },
    type: { type: 'string' as const, const: type, description: 'Type of the block.' },
    enabled: {
      type: 'boolean' as const,
      default: true,
      description: 'A disabled block is skipped.',
    },
    timeout: {
      type: 'string' as const,
      pattern: DURATION_PATTERN,
      default: '5s',
      description: 'From 1s to 30s.',
    },
    max_attempts: {
      type: 'integer' as const,
      minimum: 1,
      maximum: PIPELINE_LIMITS.maxAttempts,
      default: 1,
      description: 'Attempts.',
    },
    config: { $ref: `#/components/schemas/${config}` },
  },
});

export const blocksInput = {
  type: 'array' as const,
  maxItems: PIPELINE_LIMITS.blocks,
  description: 'The blocks, in the order in which they are asked.',
  items: { oneOf: [blockInput('always', 'AlwaysConfig'), blockInput('cel', 'CelConfig')] },
};

export const defaultPathInput = {
  type: 'string' as const,
  pattern: KEY_PATTERN.source,
  description: 'Key of the path that finds a person where a block names none.',
};

/** A pipeline document as it is sent. */
export const pipelineDocumentInput: z.ZodType<ExactValue> = z
  .custom<ExactValue>((value) => value !== undefined)
  .meta({
    id: 'PipelineDocument',
    description:
      'A whole pipeline. Every escalation path it names must exist. Numbers in conditions keep every digit.',
    override: {
      type: 'object',
      required: ['blocks'],
      additionalProperties: false,
      properties: { blocks: blocksInput, default_escalation_path: defaultPathInput },
    },
  });
