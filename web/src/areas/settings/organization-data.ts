/** What the page of the organization reads and changes. */
import { queryOptions } from '@tanstack/react-query';
import { BACKGROUND, call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

type Organization = components['schemas']['Organization'];
type Settings = Organization['settings'];
export type Usage = components['schemas']['OrganizationUsage'];

/** Name and settings side by side, as people see them. */
export interface Terms extends Settings {
  readonly name: string;
}

export interface Revised {
  readonly revision: number;
  readonly organization: Organization;
  readonly terms: Terms;
}

function revised(organization: Organization, headers: Headers): Revised {
  const revision = Number(headers.get('ETag')?.replaceAll('"', ''));
  return {
    revision,
    organization,
    terms: { name: organization.name, ...organization.settings },
  };
}

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: async ({ signal }) => {
    const { body, headers } = await call('get', '/api/v1/organization', { signal });
    return revised(body, headers);
  },
});

export const usageQuery = queryOptions({
  queryKey: ['organization', 'usage'],
  queryFn: async ({ signal }) =>
    (await call('get', '/api/v1/organization/usage', { headers: BACKGROUND, signal })).body,
});

/** While its page is open. */
export const usagePoll = queryOptions({ ...usageQuery, refetchInterval: 15_000 });

export interface Change {
  readonly changed: Partial<Terms>;
  /** The revision that is changed. Another one is left as it is. */
  readonly over: number;
}

export async function changeOrganization({ changed, over }: Change): Promise<Revised> {
  const { name, ...settings } = changed;
  const { body, headers } = await call('patch', '/api/v1/organization', {
    params: { header: { 'If-Match': `"${over}"` } },
    body: {
      ...(name !== undefined && { name }),
      ...(Object.keys(settings).length > 0 && { settings }),
    },
  });
  return revised(body, headers);
}

export async function deleteOrganization(slug: string): Promise<void> {
  await call('delete', '/api/v1/organization', { params: { query: { confirm: slug } } });
}
