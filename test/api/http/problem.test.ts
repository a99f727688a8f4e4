/** The three envelopes of errors. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { problemFrom, statusOf } from '../../../api/http/problems/problem.ts';
import { errorCatalogue } from '../../../src/domain/error-catalogue.ts';
import { AppError, invalid, type ErrorCode } from '../../../src/domain/errors.ts';

const ID = '7f1c2d3e-4b5a-4c6d-8e7f-90a1b2c3d4e5';
const bad = (pointer: string) =>
  invalid([{ pointer, code: 'invalid_value', message: 'must be better' }]);
const inAap = (error: AppError) =>
  problemFrom(error, ID, 'aap').body['error'] as Readonly<Record<string, unknown>>;

test.each(['aap', 'oauth'] as const)(
  'a sentence about a field ends with one dot in %s',
  (dialect) => {
    const message = 'The text is not one valid JSON value.';
    const { body } = problemFrom(
      invalid([{ pointer: '', code: 'malformed_json', message }]),
      ID,
      dialect,
    );
    expect(JSON.stringify(body)).toContain(`"body: ${message}"`);
  },
);

test('product errors carry details, those of AAP the wrong field, those of OAuth its own codes', () => {
  const error = bad('/arguments/amount');
  expect(problemFrom(error, ID).body).toEqual({
    error: {
      type: 'invalid_request',
      code: 'validation_failed',
      message: expect.any(String),
      request_id: ID,
      details: {
        issues: [
          { pointer: '/arguments/amount', code: 'invalid_value', message: 'must be better' },
        ],
      },
    },
  });
  expect(problemFrom(error, ID, 'aap').body).toEqual({
    error: {
      type: 'invalid_request',
      code: 'validation_failed',
      message: 'arguments: must be better.',
      param: 'arguments',
      request_id: ID,
    },
  });
  expect(problemFrom(error, ID, 'oauth').body).toEqual({
    error: 'invalid_request',
    error_description: expect.any(String),
  });
});

test.each([
  ['/query/wait', 'wait'],
  ['/headers/idempotency-key', 'Idempotency-Key'],
  ['/path/id', 'id'],
  ['/a~1b~0c/d', 'a/b~c'],
  ['/query', 'query'],
])('the field of %s is %s', (pointer, param) => {
  expect(inAap(bad(pointer))['param']).toBe(param);
});

test('a problem of the whole body names no field', () => {
  expect(inAap(bad(''))).toEqual({
    type: 'invalid_request',
    code: 'validation_failed',
    message: 'body: must be better.',
    request_id: ID,
  });
});

const codes = Object.keys(errorCatalogue) as ErrorCode[];

test('an AAP error has only statuses of AAP, and says nothing of details', () => {
  const statuses = new Set(codes.map((code) => statusOf(code, 'aap')));
  for (const status of statuses)
    expect([400, 401, 403, 404, 409, 422, 429, 500, 503]).toContain(status);
  for (const endpoint of endpoints.filter(({ dialect }) => dialect === 'aap')) {
    for (const code of errorsOf(endpoint)) {
      const { message } = inAap(new AppError(code));
      expect(message).toMatch(/\w\.$/);
      expect(message).not.toMatch(/details/);
    }
  }
});

test('an OAuth error has a code of its RFCs, and a description in their characters', () => {
  for (const code of codes) {
    const { error, error_description: text } = problemFrom(new AppError(code), ID, 'oauth').body;
    expect(error).toMatch(/^[a-z_]+$/);
    expect(text).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  }
  const status = (code: ErrorCode) => problemFrom(new AppError(code), ID, 'oauth').body['error'];
  expect(status('authentication_required')).toBe('invalid_client');
  expect(status('internal_error')).toBe('server_error');
  expect(status('dependency_unavailable')).toBe('temporarily_unavailable');
});

test('exactly the endpoints of its mount speak AAP', () => {
  const speaks = endpoints.filter(({ dialect }) => dialect === 'aap').map(({ path }) => path);
  const mounted = endpoints.map(({ path }) => path).filter((path) => path.startsWith('/aap/'));
  expect(speaks).toEqual(mounted);
  expect(mounted.length).toBeGreaterThan(0);
});
