/** What the page for machines reads and sends. */
import { queryOptions } from '@tanstack/react-query';
import type { JsonText } from '../../../../src/platform/json/exact-json.ts';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';
import type { Fields } from '../../shared/forms/form.tsx';

export type Enrollment = Omit<components['schemas']['AgentEnrollment'], 'instance_metadata'> & {
  readonly instance_metadata: JsonText;
};

export const enrollmentQuery = (code: string) =>
  queryOptions({
    queryKey: ['enrollment', code],
    queryFn: async ({ signal }) => {
      const { body } = await call(
        'get',
        '/api/v1/agent_enrollments/{user_code}',
        { signal, params: { path: { user_code: code } } },
        ['instance_metadata'],
      );
      return body as unknown as Enrollment;
    },
    enabled: code !== '',
    // Each wrong code counts, so nothing is asked again by itself.
    retry: false,
    staleTime: Infinity,
    refetchOnReconnect: false,
    refetchOnMount: false,
  });

const MOST_AGENTS = 200;

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'choice'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/agents', { signal, params: { query: { limit: MOST_AGENTS } } }))
      .body.agents,
});

/** The value of the choice that is no agent: slugs have no spaces. */
export const NEW_AGENT = 'new agent';

export async function authorize({
  code,
  fields,
}: {
  readonly code: string;
  readonly fields: Fields;
}) {
  const { agent_slug: slug = '' } = fields;
  const body =
    slug === NEW_AGENT
      ? {
          create_agent: {
            slug: (fields['create_agent.slug'] ?? '').trim(),
            name: (fields['create_agent.name'] ?? '').trim(),
          },
        }
      : { agent_slug: slug.trim() };
  const response = await call('post', '/api/v1/agent_enrollments/{user_code}/authorize', {
    params: { path: { user_code: code } },
    body,
  });
  return response.body;
}
