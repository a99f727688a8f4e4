/** Asks servers that speak Anthropic's messages. The response is the input of the one tool. */
import { stringifyExact } from '../json/exact-json.ts';
import { isExactObject, type ExactObject } from '../json/exact-values.ts';
import {
  languageModel,
  usageOf,
  type LanguageModel,
  type LanguageModelOptions,
  type ModelResponse,
} from './language-model.ts';

const TOOL = 'answer';

/** Of the API, which stays as it is for callers that name this version. */
const API_VERSION = '2026-10-21';

export function openAnthropic(options: LanguageModelOptions): LanguageModel {
  return languageModel(options, {
    path: 'v1/messages',
    headers: { 'anthropic-version': API_VERSION },
    requestIdHeader: 'request-id',
    bodyOf: ({ model, system, user, schema, maxOutputTokens }) => ({
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
    }),
    read,
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
