/** Asks servers that speak Anthropic's messages. The response is the input of the one tool. */
import type { Anthropic } from '@anthropic-ai/sdk';
import { stringifyExact } from '../json/exact-json.ts';
import { isExactObject, type ExactObject } from '../json/exact-values.ts';
import {
  fetchLimited,
  languageModel,
  usageOf,
  type LanguageModel,
  type LanguageModelOptions,
  type ModelResponse,
} from './language-model.ts';

const TOOL = 'answer';

export function openAnthropic(options: LanguageModelOptions): LanguageModel {
  return languageModel({
    connect: () => connect(options),
    call: async (client, { model, system, user, schema, maxOutputTokens }, { signal, timeout }) => {
      const response = client.messages.create(
        {
          model,
          max_tokens: maxOutputTokens,
          system,
          messages: [{ role: 'user', content: user }],
          tools: [
            {
              name: TOOL,
              description: 'Gives the answer.',
              input_schema: { type: 'object', ...schema },
            },
          ],
          tool_choice: { type: 'tool', name: TOOL, disable_parallel_tool_use: true },
        },
        { signal, timeout },
      );
      return await (await response.asResponse()).text();
    },
    read,
  });
}

/** Nothing comes from the environment, which may have variables of other programs. */
async function connect({ url, apiKey }: LanguageModelOptions): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    baseURL: url,
    apiKey,
    webhookKey: null,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: fetchLimited,
  });
}

/** Only one whole call of the tool is a result. */
function read({ content, stop_reason: stop, usage }: ExactObject): Omit<ModelResponse, 'kind'> {
  const counts = isExactObject(usage)
    ? usageOf(usage['input_tokens'], usage['output_tokens'])
    : undefined;
  const [part, ...others] = Array.isArray(content) ? content : [];
  const isResult =
    isExactObject(part) &&
    part['type'] === 'tool_use' &&
    part['name'] === TOOL &&
    stop === 'tool_use' &&
    others.length === 0;
  return isResult
    ? { value: part['input'], text: stringifyExact(part['input']), usage: counts }
    : { value: undefined, text: stringifyExact(content), usage: counts };
}
