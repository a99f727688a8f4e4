/** Asks another system what a block asks: each type has its own way. */
import type { ServiceContext } from '../context.ts';
import { askJudge } from './ask-judge.ts';
import { askWebhook } from './ask-webhook.ts';
import type { BlockQuestion, BlockReply } from './block-question.ts';

/** One attempt. Rejects with the reason of the signal when that ends the call. */
export async function askRemote(
  context: ServiceContext,
  { block, ...question }: BlockQuestion,
): Promise<BlockReply> {
  return block.type === 'webhook'
    ? await askWebhook(context, { ...question, block })
    : await askJudge(context, { ...question, block });
}
