/** The routes for operators in the description. They are not endpoints of the API. */
import type { ZodOpenApiPathsObject } from 'zod-openapi';

const TAG = 'Operation';

const check = {
  type: 'object',
  description: 'The state of one part.',
  required: ['status'],
  additionalProperties: false,
  properties: {
    status: {
      type: 'string',
      enum: ['ok', 'degraded', 'unavailable'],
      description: 'Whether this part works. `degraded`: it works, and lacks something.',
    },
    message: { type: 'string', description: 'What is wrong with it.' },
  },
} as const;

const readiness = {
  type: 'object',
  description: 'The state of the service and of each of its parts.',
  required: ['status', 'checks'],
  additionalProperties: false,
  properties: {
    status: {
      type: 'string',
      enum: ['ok', 'degraded', 'unavailable'],
      description: 'The worst state of the parts.',
    },
    checks: {
      type: 'object',
      additionalProperties: check,
      description: 'One entry for each part the service needs.',
    },
  },
} as const;

const liveness = {
  type: 'object',
  description: 'That the process responds.',
  required: ['status'],
  additionalProperties: false,
  properties: { status: { type: 'string', const: 'ok', description: 'Always `ok`.' } },
} as const;

const CHECKS = ['database', 'migrations', 'temporal', 'audit'] as const;

/** These calls can fail only in HTTP itself. */
const malformed = { $ref: '#/components/responses/validation_failed' };

const plain = (
  operationId: string,
  { summary, description }: { summary: string; description: string },
) => ({
  operationId,
  tags: [TAG],
  summary,
  description,
  security: [],
});

const text = (
  description: string,
  { mediaType, example }: { mediaType: string; example: string },
) => ({
  description,
  headers: { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } },
  content: { [mediaType]: { schema: { type: 'string' as const, description }, example } },
});

const json = (
  description: string,
  { schema, example }: { schema: typeof readiness | typeof liveness; example: unknown },
) => ({
  description,
  headers: { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } },
  content: { 'application/json': { schema: structuredClone(schema) as never, example } },
});

export const operationPaths: ZodOpenApiPathsObject = {
  '/health/live': {
    get: {
      ...plain('getLiveness', {
        summary: 'Whether the process responds',
        description:
          'Checks only that the process responds. Restart a process that does not respond.',
      }),
      responses: {
        200: json('It does.', { schema: liveness, example: { status: 'ok' } }),
        400: malformed,
      },
    },
  },
  '/health/ready': {
    get: {
      ...plain('getReadiness', {
        summary: 'Whether the service can do its work',
        description: 'Asks every part the service depends on, each for at most two seconds.',
      }),
      parameters: [
        {
          name: 'exclude',
          in: 'query',
          description:
            'A part that is not asked. The service serves without Temporal, so what sends it calls may leave that out. May be given several times.',
          schema: { type: 'array', items: { type: 'string', enum: [...CHECKS] } },
          example: ['temporal'],
        },
      ],
      responses: {
        200: json('Every part works. Some may be degraded.', {
          schema: readiness,
          example: { status: 'ok', checks: { database: { status: 'ok' } } },
        }),
        400: malformed,
        503: json('Some part does not work.', {
          schema: readiness,
          example: {
            status: 'unavailable',
            checks: {
              database: { status: 'ok' },
              temporal: { status: 'unavailable', message: 'no response within 2 s' },
            },
          },
        }),
      },
    },
  },
  '/metrics': {
    get: {
      ...plain('getMetrics', {
        summary: 'Counters and gauges for Prometheus',
        description: 'In the text format of Prometheus.',
      }),
      responses: {
        200: text('The metrics of this process.', {
          mediaType: 'text/plain',
          example:
            '# TYPE countersign_requests_created_total counter\ncountersign_requests_created_total 42\n',
        }),
        400: malformed,
      },
    },
  },
  '/api/docs': {
    get: {
      ...plain('getReference', {
        summary: 'This reference as a page',
        description: 'For browsers. It loads nothing from other hosts.',
      }),
      responses: {
        200: text('The page.', { mediaType: 'text/html', example: '<!doctype html>\n' }),
        400: malformed,
      },
    },
  },
  '/api/openapi.yaml': {
    get: {
      ...plain('getInterfaceDescription', {
        summary: 'This description',
        description: 'The interface of exactly this version of the service.',
      }),
      responses: {
        200: text('OpenAPI 3.1 in YAML.', {
          mediaType: 'application/yaml',
          example: 'openapi: 3.1.0\n',
        }),
        400: malformed,
      },
    },
  },
};
