/** A tool of the AI SDK that runs only with an approval. */
import { Countersign } from '@countersign/sdk';
import { gateTools } from '@countersign/sdk/ai';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const refund_payment = tool({
  description: 'Pays a refund.',
  inputSchema: z.object({ payment_id: z.string(), amount: z.number() }),
  execute: async ({ payment_id: id, amount }) => `refunded ${amount} of ${id}`,
});

/** `model` is one of your provider, such as `openai('gpt-5')`. */
export async function respond(model, { prompt, chatId }) {
  const countersign = new Countersign();
  const tools = gateTools({ refund_payment }, { countersign, session: chatId });
  const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(5) });
  return text;
}
