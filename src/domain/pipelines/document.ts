/**
 * The grammar of approval pipelines: ordered blocks that approve, deny, ask a person, or pass a request on. A branch has
 * its own blocks.
 */
import { z } from 'zod';
import { conditionSchema } from '../conditions/document.ts';
import {
  duration,
  guid,
  integer,
  key,
  label,
  list,
  object,
  oneOfTypes,
  problem,
  share,
  subset,
  text,
} from '../grammar.ts';
import { revisionComment } from '../revisions.ts';
import type { Edition } from '../people/permissions.ts';

export const PIPELINE_LIMITS = {
  /** Of a document, with those in branches. */
  blocks: 1_000,
  /** Levels of blocks: those of the document are the first. */
  depth: 32,
  /** Characters of a block's name. */
  nameLength: 200,
  /** Characters of a block's reason. */
  reasonLength: 2_000,
  /** Characters of a judge's policy. */
  policyLength: 8_000,
  maxAttempts: 5,
} as const;

const ALWAYS_OUTCOMES = ['approve', 'deny', 'human'] as const;
export const BLOCK_OUTCOMES = ['approve', 'deny', 'human', 'next'] as const;

const reason = () =>
  text('Why, for people; the note of an automatic decision.', {
    max: PIPELINE_LIMITS.reasonLength,
  });

const escalationPath = () =>
  key(
    "Key of the path that finds a person; only with `human`. The pipeline's default when absent.",
  ).exactOptional();

const PATH_WITHOUT_HUMAN = problem('invalid_value', 'must be absent unless the outcome is human', [
  'escalation_path',
]);

const alwaysConfig = object({
  outcome: z.enum(ALWAYS_OUTCOMES).meta({ description: 'The outcome for every request.' }),
  reason: reason(),
  escalation_path: escalationPath(),
})
  .check(({ value: config, issues }) => {
    if (config.escalation_path !== undefined && config.outcome !== 'human')
      issues.push({ ...PATH_WITHOUT_HUMAN });
  })
  .meta({
    id: 'AlwaysConfig',
    description: 'A fixed outcome. Later blocks of the same list never run, but must be valid.',
  });

const celConfig = object({
  when: conditionSchema.meta({ description: 'When the block decides.' }),
  on_match: z.enum(BLOCK_OUTCOMES).meta({
    description: 'The outcome when the condition holds; otherwise the next block is asked.',
  }),
  reason: reason(),
  escalation_path: escalationPath(),
})
  .check(({ value: config, issues }) => {
    if (config.escalation_path !== undefined && config.on_match !== 'human')
      issues.push({ ...PATH_WITHOUT_HUMAN });
  })
  .meta({ id: 'CelConfig', description: 'An outcome under a condition.' });

/** The blocks of a branch. It needs a return type because blocks contain branches. */
function blocksOfBranch<Block extends z.ZodType>(each: Block): z.ZodArray<Block> {
  return list(each)
    .min(1)
    .max(PIPELINE_LIMITS.blocks)
    .meta({ description: 'The blocks that a request meets in the branch, in order.' });
}

const branchConfig = object({
  when: conditionSchema.meta({ description: 'When a request enters the branch.' }),
  get blocks() {
    return blocksOfBranch(block);
  },
  reason: reason(),
  escalation_path: key(
    "Key of the path that finds a person for a request that ends in the branch. The pipeline's default when absent. Blocks in the branch do not inherit it.",
  ).exactOptional(),
}).meta({
  id: 'NewBranchConfig',
  description:
    'Blocks under a condition. A request that enters ends in the branch: if none of its blocks decides, a person does.',
});

const ON_ERROR = ['human', 'deny'] as const;

const webhookConfig = object({
  endpoint_key: key('Key of the webhook endpoint that is asked.'),
  reason: text(
    "Why, for people, when the endpoint's result gives no reason; the note of an automatic decision.",
    { max: PIPELINE_LIMITS.reasonLength },
  ).exactOptional(),
  escalation_path: key(
    "Key of the path that finds a person when the result is `human` and names no path, and when there is no valid result. The pipeline's default when absent.",
  ).exactOptional(),
  on_error: z.enum(ON_ERROR).default('human').meta({
    description:
      'What becomes of a request without a valid result after all attempts: a person decides, or it is denied.',
  }),
}).meta({
  id: 'WebhookConfig',
  description:
    'Asks a webhook endpoint. Its result is the outcome. No mistake of the endpoint approves a request.',
});

/** What a judge may read besides the names of the tool and its server. */
const JUDGE_INPUTS = ['arguments', 'agent_reasoning', 'context'] as const;

const judgeConfig = object({
  policy: text('What the model judges by, in your own words.', {
    max: PIPELINE_LIMITS.policyLength,
  }),
  model: text('Name of the model, one of those the deployment names. Default: the first.', {
    max: 200,
  }).exactOptional(),
  outcomes: subset('The outcomes that the model may return.', BLOCK_OUTCOMES, { min: 1 }).default([
    'approve',
    'human',
  ]),
  min_confidence: share(
    'From 0 to 1. With less confidence the outcome is `human`, whatever the model returns.',
  ).default(0.8),
  include: subset(
    'What the model reads besides the names of the tool and its server.',
    JUDGE_INPUTS,
  ).default(['arguments']),
  reason: text(
    'Why, for people; the note of an automatic decision. Default: `Decided by` and the name of the block. Never the words of the model.',
    { max: PIPELINE_LIMITS.reasonLength },
  ).exactOptional(),
  escalation_path: key(
    "Key of the path that finds a person when the outcome is `human` and when there is no valid result. The pipeline's default when absent.",
  ).exactOptional(),
}).meta({
  id: 'JudgeConfig',
  description:
    'Asks a language model, whose result is limited to `outcomes`. A request without a valid result goes to a person. A judge saves work; it is no security boundary.',
});

/** What a block of a revision as read has, too. */
const readBack = {
  snapshot_id: guid('As it was read. Ignored.').exactOptional(),
  config_version: integer('As it was read.', { min: 1, max: 1 }).exactOptional(),
  content_hash: text('As it was read. Leave it out of a block that you changed.', {
    max: 64,
    pattern: /^[0-9a-f]{64}$/,
    rule: 'be 64 digits in hex',
  }).exactOptional(),
};

const identity = {
  ...readBack,
  id: key('Identity of the block, unique in the document among blocks and conditions.'),
  name: label('Name for people.', PIPELINE_LIMITS.nameLength),
};

const enabled = {
  enabled: z.boolean().default(true).meta({ description: 'A disabled block is skipped.' }),
};

/** How a block that asks another system does so. Every type stores it. */
function operation(defaults: { readonly timeout: string; readonly note?: string }) {
  const { timeout, note = '' } = defaults;
  return {
    ...enabled,
    timeout: duration(`${note}How long one attempt may take, from 1s to 30s.`, {
      min: '1s',
      max: '30s',
    })
      .default(timeout)
      .meta({ examples: [timeout] }),
    max_attempts: integer(`${note}How often the block asks before it fails.`, {
      min: 1,
      max: PIPELINE_LIMITS.maxAttempts,
    }).default(1),
  };
}

const LOCAL = operation({ timeout: '5s', note: 'No effect on this type. ' });

const alwaysBlock = object({
  ...identity,
  type: z.literal('always').meta({ description: 'A fixed outcome.' }),
  ...LOCAL,
  config: alwaysConfig.meta({ description: 'The outcome.' }),
}).meta({ id: 'NewAlwaysBlock', description: 'A block with a fixed outcome.' });

const celBlock = object({
  ...identity,
  type: z.literal('cel').meta({ description: 'A condition.' }),
  ...LOCAL,
  config: celConfig.meta({ description: 'The condition and the outcome.' }),
}).meta({ id: 'NewCelBlock', description: 'A block with a condition.' });

const branchBlock = object({
  ...identity,
  type: z.literal('branch').meta({ description: 'Blocks under a condition.' }),
  ...LOCAL,
  config: branchConfig.meta({ description: 'Its blocks, and when a request meets them.' }),
}).meta({ id: 'NewBranchBlock', description: 'A block that contains blocks.' });

const webhookBlock = object({
  ...identity,
  type: z.literal('webhook').meta({ description: 'A webhook endpoint.' }),
  ...operation({ timeout: '5s' }),
  config: webhookConfig.meta({ description: 'Which endpoint it asks.' }),
}).meta({ id: 'NewWebhookBlock', description: 'A block that asks a webhook endpoint.' });

const judgeBlock = object({
  ...identity,
  type: z.literal('llm_judge').meta({ description: 'A language model; hosted edition only.' }),
  ...operation({ timeout: '15s' }),
  config: judgeConfig.meta({ description: 'What it asks the model.' }),
}).meta({
  id: 'NewJudgeBlock',
  description: 'A block that asks a language model. The open edition has no such type.',
});

const BLOCK_TYPE_CODES = { unknown: 'unknown_block_type', notText: 'unknown_block_type' } as const;

/** A block as sent. */
export const block = oneOfTypes(BLOCK_TYPE_CODES, [
  alwaysBlock,
  celBlock,
  branchBlock,
  webhookBlock,
  judgeBlock,
]).meta({
  id: 'NewPipelineBlock',
  description: `A block; the server adds \`snapshot_id\`, \`config_version\` and \`content_hash\`. Blocks nest at most ${PIPELINE_LIMITS.depth} levels deep.`,
});

/** A block as sent to the open edition. */
const openBlock = oneOfTypes(BLOCK_TYPE_CODES, [
  alwaysBlock,
  celBlock,
  branchBlock.extend({
    config: branchConfig.extend({
      get blocks() {
        return blocksOfBranch(openBlock);
      },
    }),
  }),
  webhookBlock,
]);

/** Additional members of a stored block. */
const kept = {
  snapshot_id: guid('Stays the same from revision to revision while the block does.'),
  config_version: z.int().meta({ description: 'Version of the format of `config`.' }),
  content_hash: z
    .string()
    .meta({ description: 'SHA-256, in hex, over the canonical JSON of type and config.' }),
};

const storedBranchConfig = branchConfig
  .extend({
    get blocks() {
      return blocksOfBranch(storedBlockSchema);
    },
  })
  .meta({ id: 'BranchConfig', description: 'Blocks under a condition.' });

/** A block as stored in a revision. */
export const storedBlockSchema = oneOfTypes(BLOCK_TYPE_CODES, [
  alwaysBlock
    .extend(kept)
    .meta({ id: 'AlwaysBlock', description: 'A block with a fixed outcome.' }),
  celBlock.extend(kept).meta({ id: 'CelBlock', description: 'A block with a condition.' }),
  branchBlock
    .extend({ ...kept, config: storedBranchConfig })
    .meta({ id: 'BranchBlock', description: 'A block that contains blocks.' }),
  webhookBlock
    .extend(kept)
    .meta({ id: 'WebhookBlock', description: 'A block that asks a webhook endpoint.' }),
  judgeBlock
    .extend(kept)
    .meta({ id: 'JudgeBlock', description: 'A block that asks a language model.' }),
]).meta({ id: 'PipelineBlock', description: 'One rule of a pipeline.' });

/** The members of a pipeline document. */
export const pipelineMembers = {
  blocks: list(block)
    .max(PIPELINE_LIMITS.blocks)
    .meta({
      description: `The blocks, in the order in which they are asked; at most ${PIPELINE_LIMITS.blocks} in the document.`,
    }),
  default_escalation_path: key(
    'Key of the path that finds a person where a block names none.',
  ).exactOptional(),
};

export const pipelineDocumentSchema = object({
  ...pipelineMembers,
  comment: revisionComment(),
}).meta({
  id: 'PipelineDocument',
  description:
    'A whole pipeline. Every escalation path it names must exist. Numbers in conditions keep every digit.',
});

/** The grammar of each edition. */
export const pipelineGrammars = {
  hosted: pipelineDocumentSchema,
  open: object({
    ...pipelineMembers,
    blocks: list(openBlock).max(PIPELINE_LIMITS.blocks),
    comment: revisionComment(),
  }),
} as const satisfies Record<Edition, z.ZodType>;
