/**
 * An MCP server over standard input and output. It appends what happens to a file, one JSON value a line: its process id
 * and the names in its environment first, then the arguments of each refund.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

const [, , file = ''] = process.argv;
const record = (value: unknown) => {
  appendFileSync(file, `${JSON.stringify(value)}\n`);
};
record({ pid: process.pid, names: Object.keys(process.env) });

const server = new McpServer({ name: 'billing', version: '1.0.0' });
const input = z.object({ payment_id: z.string(), amount: z.number() });
server.registerTool('refund', { description: 'Pays back.', inputSchema: input }, (args) => {
  record(args);
  return { content: [{ type: 'text', text: `refunded ${String(args.amount)}` }] };
});
server.registerTool('crash', { description: 'Ends the server.' }, () => process.exit(7));
await server.connect(new StdioServerTransport());
