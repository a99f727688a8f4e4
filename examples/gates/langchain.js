/** An agent of LangChain whose tools run only with an approval. */
import { Countersign } from '@countersign/sdk';
import { countersignMiddleware } from '@countersign/sdk/langchain';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const refundPayment = tool(({ payment_id: id, amount }) => `refunded ${amount} of ${id}`, {
  name: 'refund_payment',
  description: 'Pays a refund.',
  schema: z.object({ payment_id: z.string(), amount: z.number() }),
});

export async function respond(model, { prompt, chatId }) {
  const countersign = new Countersign();
  const gate = countersignMiddleware({ countersign, session: chatId });
  const agent = createAgent({ model, tools: [refundPayment], middleware: [gate] });
  const { messages } = await agent.invoke({ messages: prompt });
  return messages.at(-1).text;
}
