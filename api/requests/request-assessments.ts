/** What language models read and concluded about a request. */
import { z } from 'zod';
import { BLOCK_OUTCOMES } from '../../src/domain/pipelines/document.ts';
import { REMOTE_ERRORS } from '../../src/domain/pipelines/remote.ts';
import type { Assessment } from '../../src/domain/pipelines/judge/assessments.ts';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import { getAssessments } from '../../src/services/pipelines/request-assessments.ts';
import { costSchema } from '../pipelines/pipeline-preview-schema.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { present } from '../http/present.ts';
import { printed, timestamp, uuid } from '../http/schema.ts';

const assessmentSchema = z
  .strictObject({
    scope: z.enum(['organization', 'agent']).meta({ description: 'Whose pipeline has the block.' }),
    block_id: z.string().meta({ description: 'The block that asked.' }),
    model: z.string().meta({ description: 'The model that was asked.' }),
    outcome: z.enum(BLOCK_OUTCOMES).optional().meta({
      description:
        'The outcome of the block: `human` where the model was less confident than the block demands. Absent without a valid result.',
    }),
    confidence: z
      .custom<JsonText>((value) => value instanceof JsonText)
      .optional()
      .meta({
        description: 'How confident the model was, from 0 to 1. Absent without a valid result.',
        override: { type: 'number' },
      }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'The words of the model. Absent without a valid result.' }),
    error_code: z
      .enum(REMOTE_ERRORS)
      .optional()
      .meta({ description: 'Why there is no valid result; present only then.' }),
    input: z.string().meta({
      description:
        'The whole prompt: the instruction with the policy, an empty line, and what the agent sent. `prompt_sha256` in the timeline is its SHA-256.',
    }),
    output: z.string().meta({ description: 'The whole output, as the model wrote it.' }),
    cost: printed(costSchema)
      .optional()
      .meta({ description: 'What it took; absent when the provider did not say.' }),
    created_at: timestamp('When the model returned it.'),
  })
  .meta({ id: 'RequestAssessment', description: 'One result of a language model for a block.' });

const presentAssessment = (assessment: Assessment) => present(assessmentSchema, assessment);

const example = {
  scope: 'agent',
  block_id: 'refund-policy',
  model: 'gpt-5-mini',
  outcome: 'approve',
  confidence: 0.93,
  reason: 'The refund is below the limit, and the customer was charged twice.',
  input:
    'You apply a policy to one tool call …\n\n{"tool":"refund_payment","arguments":{"amount":12.50}}',
  output: '{"outcome":"approve","confidence":0.93,"reason":"The refund is below the limit …"}',
  cost: { input_tokens: 412, output_tokens: 38, amount: '0.000179', currency: 'USD' },
  created_at: '2026-11-21T13:00:00.030Z',
};

export const requestAssessmentEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getRequestAssessments',
    method: 'get',
    path: '/api/v1/requests/{id}/assessments',
    tag: 'Review queue',
    summary: 'List what language models said about a request, oldest first',
    description:
      'The results of `llm_judge` blocks, with the texts that the models read and wrote. Texts are kept for 30 days.',
    auth: 'product',
    permission: 'request.read',
    permissionAt: () => ({ kind: 'any' }),
    params: z.strictObject({ id: uuid('The request.') }),
    success: {
      status: 200,
      description: 'The assessments of the request.',
      body: z.strictObject({
        assessments: z.array(assessmentSchema).meta({ description: 'Oldest first.' }),
      }),
      example: { assessments: [example] },
    },
    errors: ['request_not_routed'],
    handler: async ({ principal, params: { id } }, context) => {
      const assessments = await getAssessments(context, principal, id);
      return { body: { assessments: assessments.map(presentAssessment) } };
    },
  }),
];
