/** Asks servers that speak OpenAI's chat completions. */
import { isExactObject, type ExactObject } from '../json/exact-values.ts';
import {
  languageModel,
  parsed,
  usageOf,
  type LanguageModel,
  type LanguageModelOptions,
  type ModelResponse,
} from './language-model.ts';

export function openOpenAi(options: LanguageModelOptions): LanguageModel {
  return languageModel(options, {
    path: 'chat/completions',
    requestIdHeader: 'x-request-id',
    bodyOf: ({ model, system, user, schema, maxOutputTokens }) => ({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      max_completion_tokens: maxOutputTokens,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema },
      },
    }),
    read,
  });
}

/** Only one whole text is a result: no refusal, no call of a tool, nothing cut off. */
function read({ choices, usage }: ExactObject): Omit<ModelResponse, 'kind'> {
  const counts = isExactObject(usage)
    ? usageOf(usage['prompt_tokens'], usage['completion_tokens'])
    : undefined;
  const [choice, ...others] = Array.isArray(choices) ? choices : [];
  const message = isExactObject(choice) ? choice['message'] : undefined;
  if (!isExactObject(choice) || !isExactObject(message))
    return { value: undefined, text: '', usage: counts };
  const { content, refusal, tool_calls: calls } = message;
  const text = typeof content === 'string' ? content : '';
  const isRefused = typeof refusal === 'string' && refusal !== '';
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const isWhole = choice['finish_reason'] === 'stop' && others.length === 0;
  const value = isWhole && !isRefused && !hasCalls ? parsed(text) : undefined;
  return { value, text: isRefused ? refusal : text, usage: counts };
}
