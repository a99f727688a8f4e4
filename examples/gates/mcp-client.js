/** A program that calls the tools of an MCP server, and gates each call. */
import { Countersign } from '@countersign/sdk';
import { gateClient } from '@countersign/sdk/mcp';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** `command` and `args` start the server. */
export async function refund(amount, { command, args, chatId }) {
  const client = new Client({ name: 'refund-bot', version: '1.0.0' });
  gateClient(client, { countersign: new Countersign(), server: 'billing', session: chatId });
  await client.connect(new StdioClientTransport({ command, args }));
  const result = await client.callTool({
    name: 'refund',
    arguments: { payment_id: 'pay_81', amount },
  });
  await client.close();
  return result;
}
