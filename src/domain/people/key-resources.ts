/** What a key of a client opens: the MCP endpoint alone, or the product API. */

export const OAUTH_RESOURCES = ['mcp', 'api'] as const;
export type OAuthResource = (typeof OAUTH_RESOURCES)[number];

export const RESOURCE_PATHS: Readonly<Record<OAuthResource, string>> = {
  mcp: '/mcp',
  api: '/api/v1',
};

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

export const resourceUrl = (publicUrl: string, resource: OAuthResource): string =>
  `${withoutSlash(publicUrl)}${RESOURCE_PATHS[resource]}`;

/** The issuer of OAuth: the public URL without a slash at its end. */
export const issuerOf = withoutSlash;

/** The resource of a request (RFC 8707), with or without a slash at its end. Without one it is the MCP endpoint; undefined for any that is not ours. */
export function readResource(
  publicUrl: string,
  wanted: string | undefined,
): OAuthResource | undefined {
  if (wanted === undefined || wanted === '') return 'mcp';
  return OAUTH_RESOURCES.find((each) => resourceUrl(publicUrl, each) === withoutSlash(wanted));
}
