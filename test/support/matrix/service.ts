/** The service, its callers and its objects, as the endpoint matrix uses them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { errorSchemas } from '../../../api/http/problems/problem-schema.ts';
import { envelopeTypeOf, statusOf } from '../../../api/http/problems/problem.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import {
  isValidScope,
  mayHold,
  permissions,
  type PermissionHolder,
} from '../../../src/domain/people/permissions.ts';
import { startApp, type TestApp } from '../app.ts';
import type { ApiResponse } from '../http.ts';
import type { Policy, TestMember } from '../scene/factories.ts';
import { filled, type Params, type World } from './world.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Call {
  readonly params: Params;
  readonly headers: Headers;
  readonly body?: unknown;
}

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Every permission that this kind of holder can get at that scope. */
export function everything(
  scope: Policy['scope_kind'],
  resourceIds: readonly string[],
  holder: PermissionHolder,
): Policy {
  const held = permissions
    .filter(({ key }) => isValidScope(key, scope) && mayHold(holder, key))
    .map(({ key }) => key);
  return { scope_kind: scope, resource_ids: resourceIds, permissions: held };
}

/** A running service of an edition, with its own database. */
export async function startEdition(edition: 'open' | 'hosted') {
  const environment = {
    COUNTERSIGN_CREATE_BUDGET: '1s',
    COUNTERSIGN_EDITION: edition,
    COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  return verbsOf(await startApp({ environment }));
}

export type Edition = Awaited<ReturnType<typeof startEdition>>;

function verbsOf(app: TestApp) {
  const cookie = (member: TestMember): Headers => ({
    cookie: member.cookie,
    origin: app.url,
    'sec-fetch-site': 'same-origin',
  });

  /** Only a change that succeeds can sign out or revoke keys. */
  let changes = 0;
  const renewed = new Map<string, number>();

  /** Renews what calls ended, if one has changed anything since the last time. */
  async function renew(
    table: 'sessions' | 'api_keys',
    { membershipId }: TestMember,
    live: Readonly<Record<string, null>>,
  ): Promise<void> {
    const key = `${table} ${membershipId}`;
    if (renewed.get(key) === changes) return;
    renewed.set(key, changes);
    await app
      .db(table)
      .where({ membership_id: membershipId })
      .whereNotNull('revoked_at')
      .update(live);
  }

  async function liveSession(member: TestMember): Promise<Headers> {
    await renew('sessions', member, { revoked_at: null });
    return cookie(member);
  }

  async function liveKey(member: TestMember): Promise<Headers> {
    await renew('api_keys', member, { revoked_at: null, revocation_reason: null });
    return bearer(member.apiKey);
  }

  /** The credential that opens the endpoint, of the owner or the agent of `world`. */
  async function rightHeaders({ auth }: Endpoint, { organization, agent, provisioner }: World) {
    if (auth === 'agent') return bearer(agent.credential);
    if (auth === 'provisioner') return bearer(provisioner.token);
    return auth === 'session'
      ? await liveSession(organization.owner)
      : await liveKey(organization.owner);
  }

  /** Sends this body, even to an endpoint that declares none. */
  async function sendAnyhow(
    endpoint: Endpoint,
    { params, headers, body }: Call,
  ): Promise<ApiResponse> {
    // AAP 1.0.0 takes nothing but a UUID.
    const requestId = endpoint.dialect === 'aap' ? randomUUID() : `matrix-${randomUUID()}`;
    const path = filled(endpoint.path, params);
    const response = await app.http.call(endpoint.method.toUpperCase(), path, {
      body,
      headers: {
        'x-request-id': requestId,
        ...(endpoint.headers?.idempotencyKey && { 'idempotency-key': randomUUID() }),
        ...(endpoint.headers?.ifMatch && { 'if-match': '"1"' }),
        ...headers,
      },
    });
    if (endpoint.method !== 'get' && response.status < 400) changes += 1;
    expect(response.headers['x-request-id']).toBe(requestId);
    expectDeclared(endpoint, response);
    return response;
  }

  async function send(
    endpoint: Endpoint,
    { body = endpoint.requestExample, ...call }: Call,
  ): Promise<ApiResponse> {
    return await sendAnyhow(endpoint, { ...call, ...(endpoint.body && { body }) });
  }

  return { app, cookie, liveSession, liveKey, rightHeaders, send, sendAnyhow };
}

/**
 * A success that the endpoint declares, or an error of its list in the envelope. Never an internal
 * failure.
 */
function expectDeclared(endpoint: Endpoint, response: ApiResponse): void {
  if (response.status < 400) {
    expect([endpoint.success.status].flat()).toContain(response.status);
    return;
  }
  const { dialect = 'product' } = endpoint;
  if (dialect === 'oauth') {
    errorSchemas.oauth.parse(response.body);
    const statuses = errorsOf(endpoint).map((code) => statusOf(code, dialect));
    expect(statuses.filter((status) => status < 500)).toContain(response.status);
    return;
  }
  const { error } = errorSchemas[dialect].parse(response.body) as {
    error: { code: ErrorCode; type: string; request_id: string };
  };
  expect({ code: error.code, declared: errorsOf(endpoint).includes(error.code) }).toEqual({
    code: error.code,
    declared: true,
  });
  expect(error.code).not.toBe('internal_error');
  expect(error.code).not.toBe('dependency_unavailable');
  expect({ status: response.status, type: error.type }).toEqual({
    status: statusOf(error.code, dialect),
    type: envelopeTypeOf(error.code, dialect),
  });
  expect(error.request_id).toBe(response.headers['x-request-id']);
}

/**
 * The response may say anything about the call, except that the credential is of the wrong kind or
 * lacks the permission.
 */
export function expectOpened({ body }: ApiResponse): void {
  const code: unknown = body?.['error']?.['code'];
  expect([
    'authentication_required',
    'permission_denied',
    'session_required',
    'membership_inactive',
    'cross_site_request',
  ]).not.toContain(code);
}
