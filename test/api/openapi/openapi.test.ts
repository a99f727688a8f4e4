import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { openApiDocument, openApiYaml } from '../../../api/openapi/document.ts';
import { statusOf } from '../../../api/http/problems/problem.ts';
import { errorCatalogue } from '../../../src/domain/error-catalogue.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { compilerOf, DESCRIPTION } from '../../support/openapi-schemas.ts';

type Node = { readonly [key: string]: unknown };
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Node[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Described>>;
}
interface Media {
  readonly schema: Node;
  readonly example?: unknown;
}
interface Described {
  readonly $ref?: string;
  readonly description: string;
  readonly headers: Node;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Description {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, Described>>;
  } & Node;
}

const committed = readFileSync(DESCRIPTION, 'utf8');
/** What the committed text says: the first test compares them, and Redocly parses the text. */
const description = JSON.parse(JSON.stringify(openApiDocument(endpoints))) as Description;
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
);

/** The object that a local reference names, or the object itself. */
function resolve<T extends object>(node: T): T {
  const reference = (node as { $ref?: string }).$ref;
  if (reference === undefined) return node;
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Node)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      description,
    );
  return found as T;
}

/**
 * Every named property in a schema, including nested ones. References are not followed, because
 * components are visited on their own.
 */
function* properties(schema: unknown, at: string): Generator<{ at: string; property: Node }> {
  if (Array.isArray(schema)) {
    for (const [index, part] of schema.entries()) yield* properties(part, `${at}/${index}`);
  } else if (typeof schema === 'object' && schema !== null) {
    for (const [key, part] of Object.entries(schema)) {
      if (['example', 'examples', 'enum', 'const', 'default'].includes(key)) continue;
      if (key !== 'properties') yield* properties(part, `${at}/${key}`);
      else {
        for (const [name, property] of Object.entries(part as Record<string, Node>)) {
          yield { at: `${at}/${name}`, property };
          yield* properties(property, `${at}/${name}`);
        }
      }
    }
  }
}

test('the committed description matches the endpoints: run `npm run openapi` after a change', () => {
  expect(openApiYaml(endpoints) === committed).toBe(true);
});

test("the description passes Redocly's recommended rules without an error or a warning", async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // Below, each schema is compiled once and not for each example.
    rules: { 'no-invalid-media-type-examples': 'off' },
  });
  const problems = await lintFromString({ source: committed, absoluteRef: DESCRIPTION, config });
  const found = problems.map(({ ruleId, message, location }) => ({
    ruleId,
    message,
    pointer: String(location[0]?.pointer),
  }));
  // For a redirect of the browser, the redirect is the success.
  const sendsOn = (pointer: string) => '302' in resolve<Node>({ $ref: pointer });
  expect(
    found.filter(({ ruleId, pointer }) => ruleId !== 'operation-2xx-response' || !sendsOn(pointer)),
  ).toEqual([]);
});

describe('every operation', () => {
  test('has an id of its own that is a plain name', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  test.each(operations)(
    '$name has a summary, a description, one declared tag and typed parameters',
    ({ path, operation }) => {
      expect(operation.summary).toMatch(/^[A-Z][^\n]*[^.]$/);
      expect(operation.description).not.toBe('');
      expect(operation.tags).toHaveLength(1);
      expect(description.tags.map(({ name }) => name)).toContain(operation.tags[0]);
      const parameters = (operation.parameters ?? []).map(resolve);
      for (const parameter of parameters) {
        expect(parameter).toMatchObject({
          description: expect.stringMatching(/\S/),
          schema: { type: expect.any(String) },
        });
      }
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        parameters.filter(({ in: where }) => where === 'path').map(({ name }) => name),
      ).toEqual(placeholders);
      expect(
        parameters.filter(({ in: where, required }) => where === 'path' && required !== true),
      ).toEqual([]);
    },
  );

  test.each(operations)(
    '$name sends X-Request-ID with every answer, and says when to retry',
    ({ operation }) => {
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(resolve(answer).headers).toHaveProperty('X-Request-ID');
        const mayRepeat =
          status === '429' || (status === '503' && operation.operationId !== 'getReadiness');
        expect('Retry-After' in resolve(answer).headers).toBe(mayRepeat);
      }
    },
  );
});

describe('every endpoint', () => {
  const named = endpoints.map((endpoint) => ({
    name: `${endpoint.method.toUpperCase()} ${endpoint.path}`,
    endpoint,
  }));
  const operationOf = (endpoint: (typeof endpoints)[number]) =>
    description.paths[endpoint.path]?.[endpoint.method] as Operation;

  test.each(named)('$name lists each code that it can answer under its status', ({ endpoint }) => {
    const listed = Object.entries(operationOf(endpoint).responses).flatMap(([status, answer]) =>
      [...resolve(answer).description.matchAll(/^- `(\w+)`: /gm)].map(([, code]) => ({
        status: Number(status),
        code,
      })),
    );
    const declared = errorsOf(endpoint).map((code) => ({
      status: statusOf(code, endpoint.dialect),
      code,
    }));
    const order = (a: { code?: string | undefined }, b: { code?: string | undefined }) =>
      (a.code ?? '') < (b.code ?? '') ? -1 : 1;
    expect(listed.sort(order)).toEqual(declared.sort(order));
  });

  test.each(named.filter(({ endpoint }) => endpoint.success.body))(
    '$name has an example answer that fits its schema',
    ({ endpoint }) => {
      expect(endpoint.success.example).toBeDefined();
    },
  );

  test.each(named.filter(({ endpoint }) => endpoint.body))(
    '$name has an example body',
    ({ endpoint }) => {
      expect(endpoint.requestExample).toBeDefined();
    },
  );
});

describe('examples', () => {
  const { validatorOf, errorsOf: mistakesOf } = compilerOf(description.components);
  /** What an operation reads and answers: `body` or a status, and the content. */
  const mediaOf = (operation: Operation): readonly (readonly [what: string, content: Media])[] => [
    ...Object.values(operation.requestBody?.content ?? {}).map(
      (content) => ['body', content] as const,
    ),
    ...Object.entries(operation.responses).flatMap(([status, answer]) =>
      Object.values(resolve(answer).content ?? {}).map((content) => [status, content] as const),
    ),
  ];

  test.each(operations)('$name: the examples fit their schemas', ({ operation }) => {
    const wrong = mediaOf(operation).flatMap(([what, content]) => {
      if (!('example' in content)) return /^(body|2\d\d)$/.test(what) ? [`${what}: missing`] : [];
      const validate = validatorOf(content.schema);
      return validate(content.example) ? [] : [`${what}: ${mistakesOf(validate)}`];
    });
    expect(wrong).toEqual([]);
  });

  test('a wrong example is found', () => {
    expect(validatorOf({ $ref: '#/components/schemas/Agent' })({ slug: 'deploy-bot' })).toBe(false);
  });
});

test('every property, in components and in operations, has a description', () => {
  const everywhere = [
    ...properties(description.components.schemas, 'components'),
    ...properties(description.paths, 'paths'),
  ];
  const silent = everywhere.filter(
    ({ property }) =>
      !/\S/.test(String(resolve(property)['description'] ?? property['description'] ?? '')),
  );
  expect(everywhere.length).toBeGreaterThan(200);
  expect(silent.map(({ at }) => at)).toEqual([]);
});

test('every code of the catalogue belongs to an operation', () => {
  const answered = new Set<ErrorCode>(endpoints.flatMap((endpoint) => errorsOf(endpoint)));
  // A path without the method is not an operation, so the preface explains its code. A link to the
  // sign-in page carries the others.
  const outside: ErrorCode[] = [
    'method_not_allowed',
    'host_not_served',
    'sign_in_not_admitted',
    'email_not_verified',
  ];
  const unused = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => !answered.has(code) && !outside.includes(code),
  );
  expect(unused).toEqual([]);
});
