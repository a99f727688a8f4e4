/** What the consent page reads and sends. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/api.ts';
import type { components } from '../../shared/api/openapi.d.ts';

export type Preview = components['schemas']['OAuthAuthorizationPreview'];

const PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
] as const;

/** What the client asks, as the address of the page has it. */
export type Asked = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>> & {
  readonly client_id: string;
  readonly redirect_uri: string;
};

/** Character for character: the client compares its state. */
export function readAsked(search: string): Asked {
  const sent = new URLSearchParams(search);
  const given = PARAMETERS.flatMap((name) => {
    const value = sent.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { client_id: '', redirect_uri: '', ...Object.fromEntries(given) };
}

/** Where the request would send the browser: a host, or the scheme of an app. In its encoded form. */
export function targetOf({ redirect_uri: uri }: Asked): string {
  if (!URL.canParse(uri)) return uri;
  const { host, protocol } = new URL(uri);
  return host === '' ? protocol : host;
}

export const previewQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['consent', asked],
    queryFn: async ({ signal }) =>
      (await call('post', '/api/v1/oauth_authorizations/preview', { signal, body: asked })).body,
    retry: false,
    staleTime: Infinity,
    refetchOnReconnect: false,
  });

export interface Decision {
  readonly asked: Asked;
  readonly approve: boolean;
  /** Absent where keys cannot be narrowed. */
  readonly permissions?: readonly string[] | undefined;
}

/** Where the browser goes. */
export async function decide({ asked, approve, permissions }: Decision): Promise<string> {
  const body = { ...asked, approve, ...(permissions && { permissions: [...permissions] }) };
  const response = await call('post', '/api/v1/oauth_authorizations', { body });
  return response.body.redirect_url;
}

/** The permissions to begin with: what the client asks for. One that asks for none in particular may only read. */
export function firstChoice({
  requested_permissions: requested,
  bearable_permissions: bearable,
}: Preview): readonly string[] {
  const asked = new Set(requested.map(({ key }) => key));
  return bearable
    .filter(({ key, dangerous }) =>
      asked.size > 0 ? asked.has(key) : isReading(key) && !dangerous,
    )
    .map(({ key }) => key);
}

const isReading = (permission: string): boolean => permission.endsWith('.read');
