/**
 * Asks a language model what a policy says about a call. The tokens are reserved before the call.
 * A judge saves work; it is no security boundary.
 */
import { insertAssessment } from '../../data/pipelines/request-assessments.ts';
import {
  reserveTokens,
  settleTokens,
  type Reservation,
} from '../../data/pipelines/judge-budgets.ts';
import {
  resultSchema,
  readJudgeResult,
  type JudgeResult,
} from '../../domain/pipelines/judge/result.ts';
import { costOf, type Cost } from '../../domain/pipelines/judge/cost.ts';
import {
  judgePrompt,
  MAX_OUTPUT_TOKENS,
  mostTokens,
  promptHash,
  promptText,
  type JudgePrompt,
} from '../../domain/pipelines/judge/prompt.ts';
import type { JudgeBlock } from '../../domain/pipelines/remote.ts';
import { JsonText, stringifyExact } from '../../platform/json/exact-json.ts';
import type { ModelResponse, ModelFailure } from '../../platform/language-models/language-model.ts';
import type { Db } from '../../platform/postgres.ts';
import type { Judge, ServiceContext } from '../context.ts';
import { mayPass } from '../webhooks/signed-post.ts';
import { failedFor, type BlockQuestion, type BlockReply } from './block-question.ts';

type JudgeQuestion = BlockQuestion<JudgeBlock>;

/**
 * One attempt. Rejects with the reason of the signal when that ends the call: its reservation then
 * stays taken, because the provider may charge it.
 */
export async function askJudge(
  { db, judge, logger }: Pick<ServiceContext, 'db' | 'judge' | 'logger'>,
  question: JudgeQuestion,
): Promise<BlockReply> {
  const { block, organizationId } = question;
  const model = judge && modelOf(judge, block);
  if (!judge || model === undefined) return failedFor('judge_unavailable');
  const prompt = judgePrompt(block, question.facts);
  if (!prompt) return failedFor('judge_input_too_large');
  const { dailyTokens } = judge;
  const tokens = mostTokens(prompt);
  const reservation = await reserveTokens(db, organizationId, { tokens, dailyTokens });
  if (!reservation) return failedFor('judge_budget_exhausted');
  const startedAt = performance.now();
  const reply = await judge.ask({
    ...{ ...prompt, model, schema: resultSchema(block.config) },
    ...{ maxOutputTokens: MAX_OUTPUT_TOKENS, timeoutMs: question.timeoutMs },
    signal: question.signal,
  });
  const observed = { model, duration_ms: Math.round(performance.now() - startedAt) };
  const call = { question, prompt, model, reservation, observed };
  if (reply.kind === 'responded') return replyFrom(call, judge, reply);
  const { timedOut, status, code, errorCause, providerRequestId } = reply;
  const why = { timedOut, status, code, errorCause, providerRequestId };
  logger.warn(
    { approvalRequest: question.request?.id, model, ...why },
    'the language model could not be asked',
  );
  return replyWithout(call, reply);
}

/** Undefined for a model that the deployment no longer has. */
function modelOf({ models }: Judge, { config }: JudgeBlock): string | undefined {
  const { model = models[0] } = config;
  return model !== undefined && models.includes(model) ? model : undefined;
}

interface Call {
  readonly question: JudgeQuestion;
  readonly prompt: JudgePrompt;
  readonly model: string;
  readonly reservation: Reservation;
  /** For the timeline. */
  readonly observed: Readonly<Record<string, unknown>>;
}

function replyWithout(
  { question, reservation, observed }: Call,
  failure: ModelFailure,
): BlockReply {
  const { timedOut, status, retryAfterMs, unheard, errorCause } = failure;
  const { organizationId } = question;
  return {
    result: {
      errorCode: timedOut ? 'timeout' : 'judge_unavailable',
      ...(errorCause && { errorCause }),
    },
    mayPass: status === undefined || mayPass(status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    observed: {
      ...observed,
      ...(status !== undefined && { status_code: status }),
    },
    keep: async (db) => {
      if (unheard) await settleTokens(db, organizationId, { ...reservation, taken: 0 });
    },
  };
}

function replyFrom(call: Call, judge: Judge, reply: ModelResponse): BlockReply {
  const { question, model, prompt } = call;
  const { block } = question;
  const result = readJudgeResult(reply.value, block.config);
  const cost = reply.usage && costOf(reply.usage, judge.prices.get(model));
  return {
    result: {
      ...(result ? { outcome: result.outcome } : { errorCode: 'judge_invalid_answer' as const }),
      ...(cost && { cost }),
    },
    observed: { ...call.observed, ...(cost && { cost }) },
    ...(result && {
      event: {
        verb: 'judged',
        data: {
          ...{ scope: question.scope, block_id: block.id, model, ...result, ...cost },
          ...{ prompt_sha256: promptHash(prompt), content_hash: block.content_hash },
        },
      },
    }),
    keep: (db) => keep(db, call, { reply, result, cost }),
  };
}

interface Kept {
  readonly reply: ModelResponse;
  readonly result: JudgeResult | undefined;
  readonly cost: Cost | undefined;
}

/** Without usage, the reservation stays. A preview has no request to keep texts for. */
async function keep(
  db: Db,
  { question, prompt, model, reservation }: Call,
  { reply, result, cost }: Kept,
): Promise<void> {
  const { usage } = reply;
  if (usage)
    await settleTokens(db, question.organizationId, {
      ...reservation,
      taken: usage.inputTokens + usage.outputTokens,
    });
  if (!question.request) return;
  await insertAssessment(db, {
    requestId: question.request.id,
    ...{ scope: question.scope, blockId: question.block.id, model },
    outcome: result?.outcome ?? null,
    confidence: result ? new JsonText(stringifyExact(result.confidence)) : null,
    reason: result?.reason ?? null,
    errorCode: result ? null : 'judge_invalid_answer',
    input: promptText(prompt),
    output: storable(reply.text),
    cost: cost ? new JsonText(stringifyExact(cost)) : null,
  });
}

/** No column keeps NUL or half a character. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();
