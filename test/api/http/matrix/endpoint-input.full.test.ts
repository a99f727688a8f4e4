/** What every endpoint does with ids in capitals, and with parameters and bodies that it does not declare. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { guarded, named } from '../../../support/matrix/endpoints.ts';
import { startEdition } from '../../../support/matrix/service.ts';
import { createWorld, paramsIn, type Params, type World } from '../../../support/matrix/world.ts';

const { app, rightHeaders, send, sendAnyhow } = await startEdition('hosted');
const home = await createWorld(app);
afterAll(() => app.close());

describe('ids in capitals', () => {
  /**
   * Two organizations with the same names. One caller uses ids in small letters, the other in
   * capitals.
   */
  let worlds: readonly [small: World, capital: World];

  beforeAll(async () => {
    worlds = [await createWorld(app), await createWorld(app)];
  });

  const isId = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
  const inCapitals = (params: Params): Params =>
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        isId(value) ? value.toUpperCase() : value,
      ]),
    );

  const byId = guarded.filter(({ endpoint }) => endpoint.path.includes('id}'));
  test.each(byId)('$name: are the same ids', async ({ endpoint }) => {
    const [small, capital] = worlds;
    const params = inCapitals(paramsIn(capital, endpoint));
    const expected = await send(endpoint, {
      params: paramsIn(small, endpoint),
      headers: await rightHeaders(endpoint, small),
    });
    const answer = await send(endpoint, { params, headers: await rightHeaders(endpoint, capital) });
    expect([answer.status, answer.body?.['error']?.['code']]).toEqual([
      expected.status,
      expected.body?.['error']?.['code'],
    ]);
    for (const id of Object.values(params).filter((value) => value !== value.toLowerCase()))
      expect(answer.text).not.toContain(id);
    expect(
      await app.db('audit_events').whereRaw('subject_id <> lower(subject_id)').pluck('subject_id'),
    ).toEqual([]);
  });
});

describe('an undeclared query parameter', () => {
  // An identity provider may add parameters of its own to the redirect, and so may a client of OAuth.
  const lenient = ['finishSingleSignOn', 'beginOAuthAuthorization'];
  const strict = named.filter(({ endpoint }) => !lenient.includes(endpoint.operationId));
  test.each(strict)('$name: is refused by name', async ({ endpoint }) => {
    // This file makes more sign-in attempts a minute than one network may.
    if (endpoint.attempt) await app.db('sign_in_attempts').delete();
    const unknown = { ...endpoint, path: `${endpoint.path}?surprise=1` };
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await send(unknown, { params: paramsIn(home, endpoint), headers });
    if (endpoint.dialect === 'oauth')
      return expect(answer.body).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('surprise'),
      });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'validation_failed']);
    if (endpoint.dialect === 'aap') return expect(answer.body['error']?.['param']).toBe('surprise');
    expect(answer.body['error']?.['details']?.['issues']).toContainEqual(
      expect.objectContaining({ pointer: '/query/surprise', code: 'unknown_field' }),
    );
  });
});

describe('an undeclared body', () => {
  const bodiless = named.filter(
    ({ endpoint: { method, body, signedForm } }) =>
      !['get', 'delete'].includes(method) && !body && !signedForm,
  );
  test.each(bodiless)('$name: is refused, with the field', async ({ endpoint }) => {
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await sendAnyhow(endpoint, {
      params: paramsIn(home, endpoint),
      headers,
      body: { surprise: 1 },
    });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'validation_failed']);
    expect(answer.body['error']?.['details']?.['issues']).toEqual([
      { pointer: '/surprise', code: 'unknown_field', message: 'is not a known field' },
    ]);
  });
});
