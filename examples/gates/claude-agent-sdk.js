/** An agent of the Claude Agent SDK whose tools run only with an approval. */
import { query } from '@anthropic-ai/claude-agent-sdk';
import { Countersign } from '@countersign/sdk';
import { gateHooks } from '@countersign/sdk/claude';

/** `options` are those of `query`, such as your MCP servers. */
export async function respond(prompt, options) {
  const countersign = new Countersign();
  const hooks = gateHooks({ countersign });
  for await (const message of query({ prompt, options: { ...options, hooks } }))
    if (message.type === 'result') return message.result;
}
