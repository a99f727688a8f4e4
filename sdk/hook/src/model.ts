/**
 * A model on this machine that calls one harmless command and is then done: Anthropic's Messages API or OpenAI's Responses, as far
 * as the programs call them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Model {
  readonly url: string;
  /** What the program told the model of the call. */
  result(): string | undefined;
  close(): void;
}

interface Turn {
  readonly id: string;
  readonly command: string;
}

type Json = Readonly<Record<string, unknown>>;
type Event = readonly [type: string, data: Json];

export async function startModel(kind: 'claude' | 'codex', turn: Turn): Promise<Model> {
  let [asked, result] = [false, undefined as string | undefined];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const path = kind === 'claude' ? '/v1/messages' : '/responses';
      const isMain = request.url?.includes(path) && /"tools":\s*\[\s*\{/.test(text);
      if (!isMain || request.url?.includes('count_tokens')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"input_tokens":1,"data":[],"models":[]}');
        return;
      }
      result ??= resultIn(text, turn.id);
      const events = (kind === 'claude' ? anthropic : openai)(asked ? undefined : turn);
      asked = true;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [type, data] of events)
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    result: () => result,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function resultIn(text: string, id: string): string | undefined {
  const body = JSON.parse(text) as { messages?: { content: unknown }[]; input?: Json[] };
  const items = [
    ...(body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : [])),
    ...(body.input ?? []),
  ] as Json[];
  const found = items.find(
    (item) =>
      item['tool_use_id'] === id ||
      (item['call_id'] === id && item['type'] === 'function_call_output'),
  );
  return found && JSON.stringify(found['content'] ?? found['output']);
}

function anthropic(turn: Turn | undefined): Event[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    usage,
  };
  const [block, delta] = turn
    ? [
        { type: 'tool_use', id: turn.id, name: 'Bash', input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify({ command: turn.command }) },
      ]
    : [
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Done.' },
      ];
  const stop_reason = turn ? 'tool_use' : 'end_turn';
  return [
    ['message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage }],
    ['message_stop', {}],
  ];
}

function openai(turn: Turn | undefined): Event[] {
  const item = turn
    ? {
        ...{ type: 'function_call', call_id: turn.id, name: 'exec_command' },
        arguments: JSON.stringify({ cmd: turn.command }),
      }
    : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    ['response.created', { response: { id: 'resp_1' } }],
    ['response.output_item.added', { output_index: 0, item }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: { id: 'resp_1', usage } }],
  ];
}
