/** The MCP endpoint: tools for the assistant of a member, who keeps every decision. */
import { z } from 'zod';
import { JsonText } from '../../src/platform/json/exact-json.ts';
import { requestLink } from '../../src/services/links.ts';
import { BODY_BYTES, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { serveMcp } from './server.ts';

const PATH = '/mcp';

/** Those of the protocol. Neither the credential nor cookies are passed on. */
const READ_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** The body is JSON here. What a client accepts makes no difference: every response is JSON. */
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Documents are texts inside a message, so even a long message has few values. */
const MOST_VALUES = 2_000;

const message = z
  .looseObject({
    jsonrpc: z.literal('2.0').meta({ description: 'The version of JSON-RPC.' }),
    id: z
      .union([z.string(), z.number()])
      .optional()
      .meta({ description: 'Names the call. Absent for a notification.' }),
    method: z.string().optional().meta({ description: 'Such as `tools/call`.' }),
    params: z.looseObject({}).optional().meta({ description: 'What the method takes.' }),
  })
  .meta({ description: 'One message of JSON-RPC. A list of several is refused.' });

const response = z
  .custom<JsonText>((value) => value instanceof JsonText)
  .meta({
    id: 'McpMessage',
    description: 'The message of JSON-RPC that responds: a `result`, or an `error`.',
    override: { type: 'object' },
  });

export const mcpEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'callMcp',
    method: 'post',
    path: PATH,
    tag: 'MCP',
    summary: 'Call the MCP server',
    description:
      'Streamable HTTP of the Model Context Protocol, without sessions: revision 2026-07-28, and the stateless part of those of 2025. Every response is JSON. ' +
      'A tool calls other operations of this API with the key of the call, so rights, refusals and audit events are theirs. No tool decides, ' +
      'activates, grants or issues. What the protocol refuses is a message of JSON-RPC, with 400 or 404 where the protocol says so.',
    auth: 'personal_key',
    opensToMcpKeys: true,
    resourceMetadata: '/.well-known/oauth-protected-resource/mcp',
    readHeaders: READ_HEADERS,
    bodyLimit: BODY_BYTES.toolAccess,
    mostValues: MOST_VALUES,
    body: message,
    requestExample: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    success: {
      status: [200, 202, 400, 404],
      description: 'The response of JSON-RPC.',
      body: response,
      example: { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      otherwise: {
        202: { description: 'A notification has arrived.' },
        400: {
          description: 'The protocol refuses the message.',
          body: response,
          example: { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'Invalid Request' } },
        },
        404: {
          description: 'There is no such method.',
          body: response,
          example: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
        },
      },
    },
    errors: [],
    handler: async ({ body, readHeaders, signal, perform }, context) => {
      const url = `${context.publicUrl().replace(/\/$/, '')}${PATH}`;
      const request = new Request(url, {
        method: 'POST',
        headers: { ...readHeaders, ...JSON_HEADERS },
        signal,
      });
      const { status, body: sent } = await readAll(
        await serveMcp(request, body, {
          perform,
          edition: context.edition,
          linkTo: (id) => requestLink(context, id),
          report: (error) => {
            context.logger.debug({ err: error }, 'an MCP call was refused');
          },
        }),
        signal,
      );
      return { status, ...(sent !== '' && { body: new JsonText(sent) }) };
    },
  }),
];

/** A client that has hung up gets nothing. */
async function readAll(got: Response, { aborted }: AbortSignal) {
  return aborted ? { status: 202, body: '' } : { status: got.status, body: await got.text() };
}
