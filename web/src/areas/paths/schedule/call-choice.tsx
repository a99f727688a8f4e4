/** A request that was made, as the example for conditions about requests. */
import { useQuery, queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonText } from '../../../../../src/platform/json/exact-json.ts';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { call } from '../../../shared/api/api.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import type { PreviewedCall } from '../paths-data.ts';
import { paths as text } from '../text.ts';

const LAST = 20;

const lastCallsQuery = queryOptions({
  queryKey: ['requests', 'last-calls'],
  queryFn: async ({ signal }) => {
    const query = { limit: LAST, view: 'summary' as const };
    return (await call('get', '/api/v1/requests', { params: { query }, signal })).body.requests;
  },
  staleTime: 60_000,
  retry: false,
});

interface CallChoiceProps {
  readonly onChoose: (call: PreviewedCall | undefined) => void;
}

export function CallChoice({ onChoose }: CallChoiceProps) {
  const { data: requests = [] } = useQuery(lastCallsQuery);
  const [id, setId] = useState('');
  if (requests.length === 0) return null;
  const choose = async (chosen: string) => {
    setId(chosen);
    onChoose(chosen === '' ? undefined : await callOf(chosen));
  };
  return (
    <InlineSelect
      isLabelShown
      label={text.call}
      options={[
        { value: '', label: text.noCall },
        ...requests.map((each) => ({
          value: each.id,
          label: `${each.tool}, ${each.agent_name}`,
        })),
      ]}
      value={id}
      onChange={(chosen) => {
        void choose(chosen);
      }}
    />
  );
}

/** Undefined if it cannot be read any more. */
async function callOf(id: string): Promise<PreviewedCall | undefined> {
  try {
    const { body } = await call('get', '/api/v1/requests/{id}', { params: { path: { id } } }, [
      'arguments',
      'context',
    ]);
    const { tool, server, agent_reasoning: reasoning } = body;
    const request = stringifyExact({
      ...{ tool, server, agent_reasoning: reasoning },
      arguments: body.arguments as unknown as JsonText,
      context: body.context as unknown as JsonText | undefined,
    });
    return { agent: { slug: body.agent_slug, name: body.agent_name }, request };
  } catch {
    return undefined;
  }
}
