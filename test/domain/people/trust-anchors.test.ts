import { describe, expect, test } from '@jest/globals';
import {
  grantsFromPolicies,
  type MemberPrincipal,
  type OrganizationKeyPrincipal,
} from '../../../src/domain/people/authorization.ts';
import { grantsAt, requireMayChangeAnchor } from '../../../src/domain/people/trust-anchors.ts';
import { AppError } from '../../../src/domain/errors.ts';

const auth = {
  method: 'local_password',
  assurance: 'single_factor',
  authenticated_at: new Date(),
} as const;

const member = (
  permissions: readonly string[],
  more: Partial<MemberPrincipal> = {},
): MemberPrincipal => {
  const isOwner = more.isOwner ?? false;
  const policies = [{ scope_kind: 'organization' as const, resource_ids: [], permissions }];
  return {
    kind: 'member',
    organizationId: 'o',
    membershipId: 'm',
    userId: 'u',
    displayName: 'Ada',
    email: 'ada@example.com',
    isOwner,
    grants: grantsFromPolicies(policies, isOwner),
    teamIds: [],
    requiresMfa: false,
    accessVersion: 1,
    via: { kind: 'session', sessionId: 's', isRecent: true },
    auth,
    ...more,
  };
};

const key = (permissions: readonly string[]): OrganizationKeyPrincipal => ({
  kind: 'organization_key',
  organizationId: 'o',
  keyId: 'k',
  name: 'CI',
  grants: grantsFromPolicies(
    [{ scope_kind: 'organization', resource_ids: [], permissions }],
    false,
  ),
  auth,
});

const personalKey = { kind: 'api_key', keyId: 'k', scopedTo: null } as const;
const oldSession = { kind: 'session', sessionId: 's', isRecent: false } as const;
const DECIDES = { grants: grantsAt('request.decide', [undefined]) };
const OWNS = { owner: true };

function codeOf(act: () => void): string {
  try {
    act();
    return 'allowed';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('a trust anchor', () => {
  test.each([
    ['an owner', member([], { isOwner: true }), { ...DECIDES, ...OWNS }, 'allowed'],
    ['who holds its rights', member(['request.decide']), DECIDES, 'allowed'],
    ['who lacks one of its rights', member(['connection.write']), DECIDES, 'grant_exceeds_own'],
    ['no owner, where it speaks for one', member(['request.decide']), OWNS, 'owner_required'],
    [
      'an old session',
      member(['request.decide'], { via: oldSession }),
      DECIDES,
      'reauthentication_required',
    ],
    ['one factor where two are required', member([], { requiresMfa: true }), {}, 'mfa_required'],
    [
      'a key of a person',
      member(['request.decide'], { via: personalKey }),
      DECIDES,
      'session_required',
    ],
    ['a key of the organization', key(['webhook.write']), {}, 'session_required'],
  ])('of Slack, changed by %s', (_who, principal, speaksFor, code) => {
    expect(
      codeOf(() => {
        requireMayChangeAnchor(principal, 'slack_connection', speaksFor);
      }),
    ).toBe(code);
  });

  const ASKED = { grants: grantsAt('pipeline.activate', ['bot', 'bot', undefined]) };

  test.each([
    [
      'a key of a person that may activate',
      member(['pipeline.activate'], { via: personalKey }),
      'allowed',
    ],
    [
      'a key of a person that may not',
      member(['webhook.write'], { via: personalKey }),
      'grant_exceeds_own',
    ],
    ['a key of the organization that may activate', key(['pipeline.activate']), 'allowed'],
    ['a key of the organization that may not', key(['webhook.write']), 'permission_denied'],
    [
      'an old session',
      member(['pipeline.activate'], { via: oldSession }),
      'reauthentication_required',
    ],
  ])('that is an endpoint, changed by %s', (_who, principal, code) => {
    expect(
      codeOf(() => {
        requireMayChangeAnchor(principal, 'webhook_endpoint', ASKED);
      }),
    ).toBe(code);
  });

  test('names each grant once', () => {
    expect(ASKED.grants).toEqual([
      { permission: 'pipeline.activate', scope_kind: 'agent', scope_id: 'bot' },
      { permission: 'pipeline.activate', scope_kind: 'organization' },
    ]);
  });
});
