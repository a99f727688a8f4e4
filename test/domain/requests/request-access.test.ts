/** Who may decide and see a request. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ApprovalRequest } from '../../../src/domain/requests/approval-requests.ts';
import {
  grantsFromPolicies,
  type MemberPrincipal,
  type PolicyGrants,
} from '../../../src/domain/people/authorization.ts';
import type { Target } from '../../../src/domain/escalation/types.ts';
import type { Permission } from '../../../src/domain/people/permissions.ts';
import {
  listAccess,
  mayDecide,
  maySee,
  type Audience,
} from '../../../src/domain/requests/request-access.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';

const ME = '11111111-1111-4111-8111-111111111111';
const TEAM = '55555555-5555-4555-8555-555555555555';
const OTHER = '22222222-2222-4222-8222-222222222222';
const at = new Date('2026-03-01T12:00:00.000Z');

const request = (agentSlug = 'bot'): ApprovalRequest => ({
  id: '33333333-3333-4333-8333-333333333333',
  organizationId: '44444444-4444-4444-8444-444444444444',
  agentSlug,
  agentName: agentSlug,
  agentInstanceId: OTHER,
  agentInstanceName: 'instance',
  agentCredentialId: OTHER,
  tool: 'deploy',
  arguments: new JsonText('{}'),
  timeout: '1h',
  state: 'pending',
  createdAt: at,
  deadlineAt: at,
  updatedAt: at,
  urgency: 'standard',
});

interface Who {
  readonly policies?: readonly PolicyGrants[];
  readonly isOwner?: boolean;
  /** A personal key with only these permissions, or with all its member's permissions. */
  readonly key?: readonly Permission[] | 'whole';
}

function member({ policies = [], isOwner = false, key }: Who): MemberPrincipal {
  return {
    kind: 'member',
    organizationId: '44444444-4444-4444-8444-444444444444',
    membershipId: ME,
    userId: OTHER,
    displayName: 'Me',
    email: 'me@example.com',
    isOwner,
    grants: grantsFromPolicies(policies, isOwner),
    requiresMfa: false,
    accessVersion: 0,
    teamIds: [TEAM],
    via: key
      ? { kind: 'api_key', keyId: OTHER, scopedTo: key === 'whole' ? null : key }
      : { kind: 'session', sessionId: OTHER, isRecent: true },
    auth: { method: 'local_password', assurance: 'single_factor', authenticated_at: at },
  };
}

const everywhere = (...permissions: Permission[]): PolicyGrants => ({
  scope_kind: 'organization',
  resource_ids: [],
  permissions,
});
const forAgents = (slugs: string[], ...permissions: Permission[]): PolicyGrants => ({
  scope_kind: 'agent',
  resource_ids: slugs,
  permissions,
});
const to = (...targets: readonly Target[]): Audience => ({ targets, added: [] });
const unrouted: Audience = { targets: undefined, added: [] };
const named = to({ type: 'user', id: ME });
const others = to({ type: 'user', id: OTHER });
const broadcast = to({ type: 'user', id: OTHER }, { type: 'broadcast' });
const myTeam = to({ type: 'team', id: TEAM });
const otherTeam = to({ type: 'team', id: OTHER });
const added: Audience = { ...others, added: [ME] };

describe('who may decide and see a request', () => {
  test.each<[string, Who, Audience, { decide: boolean; see: boolean }]>([
    ['a member without a permission: nothing', {}, unrouted, { decide: false, see: false }],
    [
      'a decider: requests without a path',
      { policies: [everywhere('request.decide')] },
      unrouted,
      { decide: true, see: true },
    ],
    [
      'a decider: requests that name them',
      { policies: [everywhere('request.decide')] },
      named,
      { decide: true, see: true },
    ],
    [
      'a decider: requests that name everyone',
      { policies: [everywhere('request.decide')] },
      broadcast,
      { decide: true, see: true },
    ],
    [
      'a decider: no requests that name others',
      { policies: [everywhere('request.decide')] },
      others,
      { decide: false, see: false },
    ],
    [
      'a decider: no requests that name no one',
      { policies: [everywhere('request.decide')] },
      to(),
      { decide: false, see: false },
    ],
    [
      'a decider: requests that name their team',
      { policies: [everywhere('request.decide')] },
      myTeam,
      { decide: true, see: true },
    ],
    [
      'a decider: no requests that name another team',
      { policies: [everywhere('request.decide')] },
      otherTeam,
      { decide: false, see: false },
    ],
    [
      'a decider: requests they were added to',
      { policies: [everywhere('request.decide')] },
      added,
      { decide: true, see: true },
    ],
    [
      'a member without a permission: nothing, even if added',
      {},
      added,
      { decide: false, see: false },
    ],
    [
      'a member without a permission: nothing, even if named',
      {},
      named,
      { decide: false, see: false },
    ],
    [
      'a reader: no routed requests, even if named',
      { policies: [everywhere('request.read')] },
      named,
      { decide: false, see: false },
    ],
    [
      'a reader: requests without a path',
      { policies: [everywhere('request.read')] },
      unrouted,
      { decide: false, see: true },
    ],
    [
      'a reader of requests routed to others',
      { policies: [everywhere('request.read', 'request.read.unrouted')] },
      others,
      { decide: false, see: true },
    ],
    [
      'a decider of requests routed to others',
      { policies: [everywhere('request.decide', 'request.decide.unrouted')] },
      others,
      { decide: true, see: true },
    ],
    [
      'a holder of the permission for others alone: nothing routed to others',
      { policies: [everywhere('request.decide.unrouted')] },
      others,
      { decide: false, see: false },
    ],
    [
      'a holder of the permission for others alone: not even requests that name them',
      { policies: [everywhere('request.decide.unrouted')] },
      named,
      { decide: false, see: false },
    ],
    [
      'a decider: nothing routed to others through a permission for another agent',
      { policies: [everywhere('request.decide.unrouted'), forAgents(['bot2'], 'request.decide')] },
      others,
      { decide: false, see: false },
    ],
    [
      'a decider for this agent: requests routed to others of any agent',
      { policies: [everywhere('request.decide.unrouted'), forAgents(['bot'], 'request.decide')] },
      others,
      { decide: true, see: true },
    ],
    ['an owner: everything', { isOwner: true }, others, { decide: true, see: true }],
    [
      'an owner by key: everything',
      { isOwner: true, key: 'whole' },
      others,
      { decide: true, see: true },
    ],
    [
      'a key: nothing beyond its scope',
      { isOwner: true, key: ['request.read', 'request.decide'] },
      others,
      { decide: false, see: false },
    ],
    [
      'a decider for this agent',
      { policies: [forAgents(['bot'], 'request.decide')] },
      named,
      { decide: true, see: true },
    ],
    [
      'a decider for another agent: nothing',
      { policies: [forAgents(['bot2'], 'request.decide')] },
      named,
      { decide: false, see: false },
    ],
  ])('%s', (_name, who, routed, expected) => {
    const principal = member(who);
    expect({
      decide: mayDecide(principal, request(), routed),
      see: maySee(principal, request(), routed),
    }).toEqual(expected);
  });

  test('deciding a request implies seeing it, and a key never exceeds its member', () => {
    const permissions: Permission[] = [
      'request.read',
      'request.read.unrouted',
      'request.decide',
      'request.decide.unrouted',
      'agent.read',
    ];
    const policy = fc.oneof(
      fc.subarray(permissions).map((keys) => everywhere(...keys)),
      fc
        .tuple(fc.subarray(['bot', 'bot2'], { minLength: 1 }), fc.subarray(permissions))
        .map(([slugs, keys]) => forAgents(slugs, ...keys)),
    );
    fc.assert(
      fc.property(
        fc.array(policy, { maxLength: 3 }),
        fc.option(fc.subarray(permissions), { nil: 'whole' as const }),
        fc.constantFrom<Audience>(
          unrouted,
          to(),
          named,
          others,
          broadcast,
          myTeam,
          otherTeam,
          added,
        ),
        (policies, key, routed) => {
          const person = member({ policies });
          const byKey = member({ policies, key });
          for (const who of [person, byKey]) {
            expect(mayDecide(who, request(), routed) && !maySee(who, request(), routed)).toBe(
              false,
            );
          }
          expect(mayDecide(byKey, request(), routed) && !mayDecide(person, request(), routed)).toBe(
            false,
          );
          expect(maySee(byKey, request(), routed) && !maySee(person, request(), routed)).toBe(
            false,
          );
        },
      ),
    );
  });
});

describe('the same rules as filters for lists', () => {
  test('are undefined where a permission is not held, and name the agents where it is not held everywhere', () => {
    const principal = member({
      policies: [
        everywhere('request.read'),
        forAgents(['b', 'a'], 'request.decide'),
        forAgents(['c'], 'request.read', 'request.decide'),
      ],
      key: 'whole',
    });
    expect(listAccess(principal)).toEqual({
      membershipId: ME,
      teamIds: [TEAM],
      read: { all: true },
      readRoutedToOthers: undefined,
      decide: { all: false, agentSlugs: ['a', 'b', 'c'], teamIds: [] },
      decideRoutedToOthers: undefined,
    });
  });

  test('reach requests routed to others only with both permissions', () => {
    const both = ['request.decide', 'request.decide.unrouted'] as const;
    const reach = (...policies: PolicyGrants[]) =>
      listAccess(member({ policies })).decideRoutedToOthers;
    expect(reach(everywhere('request.decide.unrouted'))).toBeUndefined();
    expect(reach(everywhere(...both))).toEqual({ all: true });
    const some = { all: false, agentSlugs: ['a', 'b'], teamIds: [] };
    expect(
      reach(everywhere('request.decide.unrouted'), forAgents(['b', 'a'], 'request.decide')),
    ).toEqual(some);
    expect(
      reach(everywhere('request.decide'), forAgents(['b', 'a'], 'request.decide.unrouted')),
    ).toEqual(some);
    expect(
      reach(
        forAgents(['a', 'b'], 'request.decide'),
        forAgents(['b', 'c'], 'request.decide.unrouted'),
      ),
    ).toEqual({
      all: false,
      agentSlugs: ['b'],
      teamIds: [],
    });
  });

  test('follow the scope of a key', () => {
    expect(listAccess(member({ isOwner: true, key: ['request.read'] }))).toEqual({
      membershipId: ME,
      teamIds: [TEAM],
      read: { all: true },
      readRoutedToOthers: undefined,
      decide: undefined,
      decideRoutedToOthers: undefined,
    });
  });
});
