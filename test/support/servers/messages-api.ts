/** Anthropic's Messages API with a scripted model, for the real Claude Code: one call of a tool a turn, then the end. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly input: string;
}

export interface MessagesApi {
  readonly url: string;
  /** What the model got in the place of results, as JSON texts. */
  results(): readonly string[];
  close(): Promise<void>;
}

/** For a Claude Code that asks this model, and keeps its files in a folder of the test. */
export const environmentFor = ({ url }: MessagesApi, folder: string) => ({
  ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-none', CLAUDE_CONFIG_DIR: folder },
  ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
});

interface Turn {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages: readonly { readonly content: unknown }[];
}

const usage = { input_tokens: 1, output_tokens: 1 };

export async function startMessagesApi(script: readonly ScriptedCall[]): Promise<MessagesApi> {
  let results: readonly string[] = [];
  const server = createServer((request, response) => {
    void respond(request, response);
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (path !== '/v1/messages') return void response.writeHead(404).end('{}');
    const turn = JSON.parse(body) as Turn;
    // Side questions, such as for a title, have no tools.
    const isMain = turn.stream === true && (turn.tools?.length ?? 0) > 0;
    if (isMain) results = resultsOf(turn);
    const call = isMain ? script[results.length] : undefined;
    if (turn.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(turn.model, call))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      return void response.end();
    }
    const message = { ...messageOf(turn.model), content: [{ type: 'text', text: 'Done.' }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, stop_reason: 'end_turn' }));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    results: () => results,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const resultsOf = ({ messages }: Turn) =>
  messages.flatMap(({ content }) =>
    (Array.isArray(content) ? (content as { type: string; content?: unknown }[]) : [])
      .filter(({ type }) => type === 'tool_result')
      .map((block) => JSON.stringify(block.content)),
  );

const messageOf = (model: string) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model, content: [] as unknown[] },
  ...{ stop_reason: null, stop_sequence: null, usage },
});

function eventsOf(model: string, call: ScriptedCall | undefined) {
  const [block, delta] = call
    ? [
        { type: 'tool_use', id: call.id, name: call.name, input: {} },
        { type: 'input_json_delta', partial_json: call.input },
      ]
    : [
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Done.' },
      ];
  const end = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
  return [
    { type: 'message_start', message: messageOf(model) },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ];
}
