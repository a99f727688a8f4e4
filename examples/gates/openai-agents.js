/** A tool of the OpenAI Agents SDK that runs only with an approval, in a run that is kept while a person is asked. */
import { Countersign } from '@countersign/sdk';
import { gateTool, runDurable } from '@countersign/sdk/openai';
import { Agent, tool } from '@openai/agents';
import { z } from 'zod';

const refundPayment = tool({
  name: 'refund_payment',
  description: 'Pays a refund.',
  parameters: z.object({ payment_id: z.string(), amount: z.number() }),
  execute: ({ payment_id: id, amount }) => `refunded ${amount} of ${id}`,
});

/** `input` is what the user says, or `{ state }` of a run that was suspended. */
export async function respond(model, { prompt: input, chatId }) {
  const countersign = new Countersign();
  const gated = gateTool(refundPayment, { countersign, session: chatId, durable: true });
  const agent = new Agent({ name: 'Refunds', model, tools: [gated] });
  const { result, suspended } = await runDurable(agent, input);
  return suspended ?? result.finalOutput;
}
