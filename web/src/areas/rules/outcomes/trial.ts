/** Tries a request with the text as it is now. Nothing is saved. */
import { queryOptions } from '@tanstack/react-query';
import { JsonText, stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { withoutHidden } from '../../../../../src/domain/shown/concealed-source.ts';
import { call } from '../../../shared/api/api.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import { asText } from '../../../shared/editor/revisions.ts';
import { withValue } from '../../../shared/editor/splices.ts';
import { blockRows, ruleRows } from '../document/rule-rows.ts';
import { callPipeline, type Scope } from '../rules-data.ts';

export type Trial = components['schemas']['PipelinePreview'];

/** Its texts are JSON. */
export interface Sample {
  /** Of a request that exists. */
  readonly id?: string | undefined;
  readonly tool: string;
  readonly server: string;
  readonly arguments: string;
  readonly context?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly agent: string;
  readonly agentName: string;
  /** The same without hidden values: what is drawn. */
  readonly shown: { readonly arguments: string; readonly context?: string | undefined };
}

const requestText = (sample: Sample): string => {
  const members = [
    `"tool":${stringifyExact(sample.tool)}`,
    ...(sample.server === '' ? [] : [`"server":${stringifyExact(sample.server)}`]),
    `"arguments":${sample.arguments}`,
    ...(sample.reasoning === undefined
      ? []
      : [`"agent_reasoning":${stringifyExact(sample.reasoning)}`]),
    ...(sample.context === undefined ? [] : [`"context":${sample.context}`]),
  ];
  return `{${members.join(',')}}`;
};

/** What is drawn of it: hidden values are concealed. */
export const shownFactsText = (sample: Sample): string =>
  factsText({ ...sample, ...sample.shown, shown: sample.shown });

/** As conditions see it: digit for digit. */
export const factsText = (sample: Sample): string =>
  `{"request":${requestText(sample)},"agent":${stringifyExact({ slug: sample.agent, name: sample.agentName })},"previous_metadata":{"organization":{},"agent":{}}}`;

export async function tryRequest(
  scope: Scope,
  { text, sample }: { readonly text: string; readonly sample: Sample },
  signal?: AbortSignal,
): Promise<Trial> {
  const agent = stringifyExact({ slug: sample.agent, name: sample.agentName });
  const body = withValue(text, '/sample', `{"request":${requestText(sample)},"agent":${agent}}`);
  return await callPipeline(scope, ['post', '/preview'], { ...asText(body), signal });
}

export const RECENT = 20;

export const recentQuery = ({ agent }: Scope) =>
  queryOptions({
    queryKey: ['rules', 'recent', agent ?? ''],
    queryFn: async ({ signal }) => {
      const query = {
        ...{ limit: RECENT, view: 'summary' as const },
        ...(agent !== undefined && { agent_slug: agent }),
      };
      const { body } = await call('get', '/api/v1/requests', { signal, params: { query } });
      return body.requests.map(({ id, tool, agent_slug: slug, created_at: at }) => ({
        ...{ id, tool, slug, at },
      }));
    },
    staleTime: 30_000,
  });

export const sampleQuery = (id: string) =>
  queryOptions({
    queryKey: ['rules', 'sample', id],
    queryFn: async ({ signal }): Promise<Sample> => {
      const { body } = await call(
        'get',
        '/api/v1/requests/{id}',
        {
          ...{ signal, params: { path: { id } } },
        },
        ['arguments', 'context'],
      );
      const { arguments: given, context, server = '', tool, agent_reasoning: reasoning } = body;
      return {
        ...{ id, tool, server, reasoning, agent: body.agent_slug, agentName: body.agent_name },
        arguments: textOf(given) ?? '{}',
        context: textOf(context),
        shown: {
          arguments: withoutHidden(textOf(given) ?? '{}', {
            presentation: body.presentation as never,
            hiddenNames: body.hidden_names,
          }).text,
          context: concealed(textOf(context), body.hidden_names),
        },
      };
    },
    staleTime: Infinity,
  });

const concealed = (
  source: string | undefined,
  hiddenNames: Parameters<typeof withoutHidden>[1]['hiddenNames'],
): string | undefined =>
  source === undefined
    ? undefined
    : withoutHidden(source, { presentation: undefined, hiddenNames }).text;

const textOf = (value: unknown): string | undefined =>
  value instanceof JsonText ? value.text : undefined;

/** Whether a rule that is on asks another system. */
export const asksSystems = (document: ExactValue): boolean =>
  blockRows(ruleRows(document)).some(
    ({ value }) =>
      isExactObject(value) &&
      value['enabled'] !== false &&
      (value['type'] === 'webhook' || value['type'] === 'llm_judge'),
  );
