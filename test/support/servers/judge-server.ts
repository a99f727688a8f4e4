/** A language model on loopback, in the dialects of both providers. It responds as a test demands. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../http.ts';

export type Dialect = 'openai' | 'anthropic';

export interface AskedJudge {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

/** `reply`: a value, or the JSON text of one. `usage`: what the provider counts. */
export interface Judgement {
  readonly reply: unknown;
  readonly usage?: { readonly input: unknown; readonly output: unknown } | undefined;
}

export interface JudgeServer {
  readonly url: (dialect: Dialect) => string;
  /** Oldest first. */
  readonly asked: readonly AskedJudge[];
  /** To the next calls, in the dialect that they speak. */
  judge(judgement: Judgement): void;
  /** To the next calls, whatever they are. */
  respondWith(reply: (response: ServerResponse, asked: AskedJudge) => void): void;
  close(): Promise<void>;
}

/** What a service needs to ask it. */
export function judgeEnvironment(server: Pick<JudgeServer, 'url'>, dialect: Dialect = 'openai') {
  return {
    COUNTERSIGN_EDITION: 'hosted',
    COUNTERSIGN_JUDGE_PROVIDER: dialect,
    COUNTERSIGN_JUDGE_URL: server.url(dialect),
    COUNTERSIGN_JUDGE_API_KEY: 'a-key-of-the-judge',
    COUNTERSIGN_JUDGE_MODELS: 'judge-small,judge-large',
    COUNTERSIGN_JUDGE_PRICES: 'judge-small=0.25/2.00 USD',
  };
}

const USAGE = { input: 100, output: 20 };

export async function startJudgeServer(): Promise<JudgeServer> {
  const asked: AskedJudge[] = [];
  const judging = (judgement: Judgement) => (response: ServerResponse, call: AskedJudge) => {
    response.setHeader('content-type', 'application/json');
    response.end(bodyOf(call.path, judgement));
  };
  const state = { reply: judging({ reply: {} }) };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { url: path = '', headers } = request;
      const call = { path, headers, body: JSON.parse(body) as Json };
      asked.push(call);
      state.reply(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (dialect) => (dialect === 'openai' ? `${origin}/v1/` : `${origin}/`),
    asked,
    judge: (judgement) => {
      state.reply = judging(judgement);
    },
    respondWith: (reply) => {
      state.reply = reply;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A text is the JSON of the response, whose digits then stay. */
export function bodyOf(path: string, { reply, usage = USAGE }: Judgement): string {
  const json = typeof reply === 'string' ? reply : JSON.stringify(reply);
  if (path === '/v1/messages') {
    const counted = JSON.stringify({ input_tokens: usage.input, output_tokens: usage.output });
    return `{"id":"msg_1","type":"message","role":"assistant","stop_reason":"tool_use","usage":${counted},"content":[{"type":"tool_use","id":"call_1","name":"answer","input":${json}}]}`;
  }
  return JSON.stringify({
    id: 'completion_1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: json } }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output },
  });
}

/** What the last call told the model, in either dialect. */
export function promptOf({ path, body }: AskedJudge): { system: string; user: string } {
  const messages = body['messages'] as unknown as { role: string; content: string }[];
  const [first, second] = messages.map(({ content }) => content);
  return path === '/v1/messages'
    ? { system: String(body['system']), user: first ?? '' }
    : { system: first ?? '', user: second ?? '' };
}
