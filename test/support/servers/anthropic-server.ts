/**
 * A scripted model behind Anthropic's Messages API, as far as Claude Code and its SDK call it. A turn that offers tools gets the
 * next reply of the script; after the script, and in turns without tools, the model says that it is done.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** An object, or its JSON text, whose digits are kept. */
  readonly input: object | string;
}

export interface AnthropicServer {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** The results of tools that the model was given, as JSON text, in order. */
  results(): readonly string[];
  close(): Promise<void>;
}

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages?: readonly { readonly content: unknown }[];
}

interface ToolResult {
  readonly type: string;
  readonly tool_use_id: string;
}

/** Each reply is the tools that the model calls in one turn. */
export async function startAnthropicServer(
  script: readonly (readonly ToolUse[])[],
): Promise<AnthropicServer> {
  let turn = 0;
  const results = new Map<string, string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
        sendJson(response, { input_tokens: 1 });
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      const isMain = (body.tools?.length ?? 0) > 0;
      if (isMain) for (const [id, result] of resultsIn(body)) results.set(id, result);
      const uses = isMain ? (script[turn++] ?? []) : [];
      if (body.stream) stream(response, body, uses);
      else
        sendJson(response, { ...headOf(body, uses), content: [{ type: 'text', text: 'Done.' }] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    results: () => [...results.values()],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Later turns repeat the results of earlier ones. */
function resultsIn({ messages = [] }: Body): [id: string, result: string][] {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as ToolResult[]) : []))
    .filter(({ type }) => type === 'tool_result')
    .map((each) => [each.tool_use_id, JSON.stringify(each)]);
}

const headOf = ({ model = 'claude' }: Body, uses: readonly ToolUse[]) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null },
  stop_reason: uses.length > 0 ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

function stream(response: ServerResponse, body: Body, uses: readonly ToolUse[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const head = headOf(body, uses);
  send('message_start', { message: { ...head, content: [], stop_reason: null } });
  const blocks =
    uses.length > 0
      ? uses.map(({ id, name, input }) => ({
          start: { type: 'tool_use', id, name, input: {} },
          delta: {
            type: 'input_json_delta',
            partial_json: typeof input === 'string' ? input : JSON.stringify(input),
          },
        }))
      : [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: 'Done.' } }];
  for (const [index, { start, delta }] of blocks.entries()) {
    send('content_block_start', { index, content_block: start });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  const { stop_reason, usage } = head;
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
