/** What the tests of the MCP server share: the client of the protocol's makers, in the revisions that it speaks. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { TestApp } from '../../support/app.ts';
import type { Json } from '../../support/http.ts';

/** `2025` begins with a handshake, and `2026` sends what a client can with each call. */
export type Revision = '2025' | '2026';

export const versionOf = (revision: Revision) =>
  ({ mode: revision === '2025' ? 'legacy' : { pin: '2026-07-28' } }) as const;

export async function connect(
  app: TestApp,
  token: string,
  revision: Revision = '2026',
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: versionOf(revision) },
  );
  await client.connect(transportTo(app, token));
  return client;
}

export const transportTo = (app: TestApp, token: string) =>
  new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

export const textsOf = ({ content }: Pick<CallToolResult, 'content'>): string[] =>
  content.map((block) => (block.type === 'text' ? block.text : block.type));

export async function call(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
) {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { isError: result.isError === true, texts: textsOf(result) };
}

/** The JSON between the lines that mark data, or the error. */
export function jsonOf({ texts }: { readonly texts: readonly string[] }): Json {
  return JSON.parse(texts.findLast((text) => text.startsWith('{')) ?? 'null') as Json;
}

/** The code of a refusal; undefined where there is none. */
export const codeOf = (result: { readonly texts: readonly string[]; readonly isError: boolean }) =>
  result.isError ? (jsonOf(result)['error']?.['code'] as unknown) : undefined;
