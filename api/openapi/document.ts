/**
 * Builds the OpenAPI 3.1 document from the declared endpoints, so that nothing about an operation
 * is written twice.
 */
import { stringify } from 'yaml';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import {
  takesActingAs,
  takesBackground,
  type AuthKind,
  type Endpoint,
  type SuccessResponse,
} from '../http/endpoint.ts';
import { operationPaths } from './operation.ts';
import { interfaceDescription, securitySchemes, tags } from './prose.ts';
import { webhooks } from './webhooks.ts';
import { errorExamples, EXAMPLE_REQUEST_ID, failures, requestIdHeader } from './failures.ts';

const INTERFACE_VERSION = '0.1.0';

const security: Readonly<Record<AuthKind, Record<string, string[]>[]>> = {
  product: [{ sessionCookie: [] }, { personalApiKey: [] }, { organizationApiKey: [] }],
  member: [{ sessionCookie: [] }, { personalApiKey: [] }],
  session: [{ sessionCookie: [] }],
  personal_key: [{ personalApiKey: [] }],
  agent: [{ agentCredential: [] }],
  provisioner: [{ provisionerToken: [] }],
  none: [],
};

const opensWith: Readonly<Record<AuthKind, string>> = {
  product: 'a session, a personal or an organization API key',
  member: 'a session or a personal API key',
  session: 'a session; API keys are refused',
  personal_key: 'a personal API key; sessions are refused',
  agent: 'an agent credential',
  provisioner: 'a provisioner token',
  none: 'no credential',
};

const parameters = {
  RequestId: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'Adopted as the id of this call if it is 1 to 128 printable ASCII characters.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: EXAMPLE_REQUEST_ID,
  },
  AapRequestId: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'Adopted as the id of this call if it is a UUID.',
    schema: { type: 'string', format: 'uuid' },
    example: EXAMPLE_REQUEST_ID,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Names this attempt, so that it can be repeated without harm: any value of 1 to 1,024 bytes, kept for ever.',
    schema: { type: 'string', minLength: 1, maxLength: 1024 },
    example: '6f1c7f2e-6f5e-4f5a-8d0c-0d5b6b1c9f00',
  },
  OptionalIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names this attempt, so that it can be repeated without harm: any value of 1 to 1,024 bytes, kept for seven days.',
    schema: { type: 'string', minLength: 1, maxLength: 1024 },
    example: '6f1c7f2e-6f5e-4f5a-8d0c-0d5b6b1c9f00',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The revision expected to be active, quoted or bare; `"0"` for none. Neither `*` nor weak tags.',
    schema: { type: 'string', pattern: '^("(0|[1-9][0-9]{0,14})"|(0|[1-9][0-9]{0,14}))$' },
    example: '"3"',
  },
  OptionalIfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The revision that you have seen, quoted or bare; `"0"` before the first. Neither `*` nor weak tags.',
    schema: { type: 'string', pattern: '^("(0|[1-9][0-9]{0,14})"|(0|[1-9][0-9]{0,14}))$' },
    example: '"3"',
  },
  ServiceBackground: {
    name: 'Service-Background',
    in: 'header',
    description:
      'Send `1` with calls that no person caused, such as polls. They do not keep a session alive. Any other value is a 400. API keys ignore it.',
    schema: { type: 'string', const: '1' },
    example: '1',
  },
  ServiceActingAs: {
    name: 'Service-Acting-As',
    in: 'header',
    description:
      'The membership id of the person your page shows. If the session is another person’s, the call is a 409 `other_person`, and nothing is done. API keys ignore it.',
    schema: { type: 'string', format: 'uuid' },
    example: '0199a3f1-5b1c-7d2e-9f40-3c5a6b7d8e9f',
  },
} as const satisfies Record<string, oas31.ParameterObject>;

const headers = {
  RequestId: {
    description: 'Id of this call: the presented one or a new UUID.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 1 },
  },
  Authenticate: {
    description:
      'The scheme of the credential that was missing or refused: `Bearer`, with `error="invalid_token"` where a token was sent. At the MCP endpoint with `resource_metadata`, as RFC 9728 defines it.',
    schema: { type: 'string', pattern: '^Bearer' },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

/** The whole document. */
export function openApiDocument(endpoints: readonly Endpoint[]): oas31.OpenAPIObject {
  const responses = new Map<string, ZodOpenApiResponseObject>();
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method] = operation(endpoint, responses);
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: INTERFACE_VERSION,
      description: interfaceDescription,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The deployment that serves this document.' }],
    tags: [...tags],
    paths: { ...paths, ...operationPaths },
    webhooks,
    components: { securitySchemes, parameters, headers, examples: errorExamples(endpoints) },
  };
  // Custom checks describe themselves by an override, which may be on a wrapping schema.
  const created = createDocument(document, { allowEmptySchema: { custom: true } });
  for (const endpoint of endpoints) {
    const described = created.paths?.[endpoint.path]?.[endpoint.method];
    if (described?.parameters) described.parameters = described.parameters.map(tidy);
  }
  return created;
}

/**
 * A parameter has one description. A number that arrives as text keeps only the bounds of the
 * number.
 */
function tidy(
  parameter: oas31.ParameterObject | oas31.ReferenceObject,
): oas31.ParameterObject | oas31.ReferenceObject {
  if (!('in' in parameter) || !parameter.schema || '$ref' in parameter.schema) return parameter;
  const { description, pattern, ...schema } = parameter.schema as oas31.SchemaObject;
  const { in: location, name, required } = parameter;
  const text = parameter.description ?? description;
  return {
    name,
    in: location,
    ...(required && { required }),
    ...(text !== undefined && { description: text }),
    schema: { ...schema, ...(pattern !== undefined && schema.type === 'string' && { pattern }) },
  };
}

/** The document as the text of `openapi.yaml`. */
export function openApiYaml(endpoints: readonly Endpoint[]): string {
  // YAML 1.1 readers would parse a bare time as a date and a bare `on` as a boolean. Quoted, both
  // versions agree.
  const text = stringify(openApiDocument(endpoints), {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    lineWidth: 0,
    compat: 'yaml-1.1',
  });
  return `# Generated from the endpoint declarations by \`npm run openapi\`. Do not edit.\n${text}`;
}

function operation(
  endpoint: Endpoint,
  shared: Map<string, ZodOpenApiResponseObject>,
): ZodOpenApiOperationObject {
  const { body, signedForm, params, query, requestExample } = endpoint;
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, needs(endpoint)].filter(Boolean).join('\n\n'),
    security: security[endpoint.auth],
    requestParams: {
      ...(params && { path: params as never }),
      ...(query && { query: query as never }),
    },
    parameters: [
      ...idempotencyKeyOf(endpoint),
      ...ifMatchOf(endpoint),
      ...(takesBackground(endpoint) ? [{ $ref: '#/components/parameters/ServiceBackground' }] : []),
      ...(takesActingAs(endpoint) ? [{ $ref: '#/components/parameters/ServiceActingAs' }] : []),
      {
        $ref: `#/components/parameters/${endpoint.dialect === 'aap' ? 'AapRequestId' : 'RequestId'}`,
      },
      ...(signedForm?.headers ?? []).map(signedHeader),
    ],
    ...(body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: { 'application/json': { schema: body, example: requestExample } },
      },
    }),
    ...(signedForm && {
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: signedForm.fields,
            example: requestExample,
          },
        },
      },
    }),
    responses: { ...successes(endpoint), ...failures(endpoint, shared) },
  };
}

function ifMatchOf({ headers: needed }: Endpoint): oas31.ReferenceObject[] {
  if (!needed?.ifMatch) return [];
  const name = needed.ifMatch === 'required' ? 'IfMatch' : 'OptionalIfMatch';
  return [{ $ref: `#/components/parameters/${name}` }];
}

function idempotencyKeyOf({ headers: needed }: Endpoint): oas31.ReferenceObject[] {
  if (!needed?.idempotencyKey) return [];
  const name = needed.idempotencyKey === 'required' ? 'IdempotencyKey' : 'OptionalIdempotencyKey';
  return [{ $ref: `#/components/parameters/${name}` }];
}

/** A missing one is refused like a wrong one. */
function signedHeader(name: string): oas31.ParameterObject {
  const description = 'Proves, with the body, where the call comes from.';
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

function needs({ auth, permission, orPermission }: Endpoint): string {
  const wanted = [permission, orPermission].filter(Boolean).map((key) => `\`${key}\``);
  return permission === undefined
    ? `Opens with ${opensWith[auth]}.`
    : `Opens with ${opensWith[auth]}. Needs ${wanted.join(' or ')}.`;
}

function successes({ success }: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const statuses = [success.status].flat();
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      successResponse(success.otherwise?.[status] ?? success),
    ]),
  );
}

function successResponse({
  description,
  headers: sent,
  body,
  streams,
  example,
}: SuccessResponse): ZodOpenApiResponseObject {
  const own = Object.entries(sent ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: { ...requestIdHeader, ...Object.fromEntries(own) },
    ...(body && { content: { 'application/json': { schema: body, example } } }),
    ...(streams && {
      content: Object.fromEntries(
        Object.entries(streams).map(([type, text]) => [
          type,
          { schema: { type: 'string' as const, description }, example: text },
        ]),
      ),
    }),
  };
}
