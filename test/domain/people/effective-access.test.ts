/** What someone may do in the end and why, and what a change of access takes and gives. */
import { describe, expect, test } from '@jest/globals';
import {
  accessDifference,
  agentDeciders,
  changedAccess,
  changedDecider,
  decidingChanges,
  hasOtherDeciders,
  type AccessChange,
  type AccessState,
} from '../../../src/domain/people/access-effects.ts';
import {
  effectiveRights,
  OWNERSHIP,
  type SourcePolicy,
} from '../../../src/domain/people/effective-access.ts';
import type { PolicyTerms } from '../../../src/domain/people/permission-policies.ts';

const wide = (...permissions: string[]): PolicyTerms => ({
  scopeKind: 'organization',
  resourceIds: [],
  permissions,
  isOwner: false,
});
const at = (ids: string, ...permissions: string[]): PolicyTerms => ({
  scopeKind: 'agent',
  resourceIds: ids.split(' '),
  permissions,
  isOwner: false,
});
const policy = (id: string, terms: PolicyTerms, team?: string): SourcePolicy => ({
  ...terms,
  id,
  viaTeamId: team ?? null,
  viaTeamName: team ?? null,
});
const active = (...policies: SourcePolicy[]): AccessState => ({ isActive: true, policies });

const told = ({ isOwner, scopeKind, resourceIds, permissions }: PolicyTerms): string =>
  isOwner
    ? 'owner'
    : `${permissions.join('+')}@${scopeKind === 'organization' ? '*' : resourceIds.join('+')}`;

describe('what someone may do', () => {
  test.each<[string, SourcePolicy[], string[]]>([
    ['nothing without policies', [], []],
    [
      'each right once, from every policy that gives it',
      [policy('own', at('a', 'request.decide')), policy('t', at('a b', 'request.decide'), 'T')],
      ['request.decide@a by own,t', 'request.decide@b by t'],
    ],
    [
      'the wider right alone, from what gives it in its width',
      [policy('own', wide('request.decide')), policy('t', at('a', 'request.decide'), 'T')],
      ['request.decide@* by own'],
    ],
    [
      'ownership first, and what stays without it',
      [policy('p', at('a', 'request.decide')), policy('o', OWNERSHIP)],
      ['owner by o', 'request.decide@a by p'],
    ],
    [
      'nothing by unknown keys, wrong scopes and what another edition serves',
      [policy('p', wide('future.key', 'audit.read')), policy('q', at('a', 'membership.read'))],
      [],
    ],
  ])('is %s', (_what, policies, expected) => {
    const rights = effectiveRights(policies, 'open').map(
      ({ terms, sources }) =>
        `${told(terms)} by ${sources.map(({ policyId }) => policyId).join(',')}`,
    );
    expect(rights).toEqual(expected);
  });
});

describe('a change of access', () => {
  const before = active(
    policy('own', at('a', 'request.decide')),
    policy('t', at('a b', 'request.decide', 'request.read'), 'T'),
  );
  test.each<[string, AccessState, AccessChange, Record<'gains' | 'losses' | 'keeps', string[]>]>([
    [
      'gives what was not held',
      before,
      { kind: 'create', terms: at('a c', 'request.decide') },
      { gains: ['request.decide@c'], losses: [], keeps: [] },
    ],
    [
      'takes only what nothing else gives',
      before,
      { kind: 'leave', teamId: 'T' },
      {
        gains: [],
        losses: ['request.decide+request.read@b', 'request.read@a'],
        keeps: ['request.decide@a'],
      },
    ],
    [
      'takes nothing that a team gives, too',
      before,
      { kind: 'delete', policyId: 'own' },
      { gains: [], losses: [], keeps: [] },
    ],
    [
      'narrows, and says where the permission stays',
      active(policy('own', wide('request.decide'))),
      { kind: 'replace', policyId: 'own', terms: at('a', 'request.decide') },
      { gains: [], losses: ['request.decide@*'], keeps: ['request.decide@a'] },
    ],
    [
      'to ownership is told as ownership',
      before,
      { kind: 'create', terms: OWNERSHIP },
      { gains: ['owner'], losses: [], keeps: [] },
    ],
    [
      'from ownership says all that stays',
      active(policy('o', OWNERSHIP), policy('p', at('a', 'agent.read'))),
      { kind: 'delete', policyId: 'o' },
      { gains: [], losses: ['owner'], keeps: ['agent.read@a'] },
    ],
    [
      'of a suspended member changes nothing now',
      { ...before, isActive: false },
      { kind: 'create', terms: wide('agent.read') },
      { gains: [], losses: [], keeps: [] },
    ],
    [
      'suspends: everything is lost',
      active(policy('p', wide('agent.read'))),
      { kind: 'set_active', isActive: false },
      { gains: [], losses: ['agent.read@*'], keeps: [] },
    ],
    [
      'joins a team',
      active(),
      { kind: 'join', policies: [policy('t', at('a', 'agent.read'), 'T')] },
      { gains: ['agent.read@a'], losses: [], keeps: [] },
    ],
  ])('%s', (_what, state, change, expected) => {
    const { gains, losses, keeps } = accessDifference(state, changedAccess(state, change), 'open');
    expect({
      gains: gains.map(told),
      losses: losses.map(told),
      keeps: keeps.map(told),
    }).toEqual(expected);
  });
});

describe('who may decide after a change', () => {
  const holder = (id: string, before: AccessState, after: AccessState) => ({
    id,
    name: id,
    before,
    after,
  });
  const decides = active(policy('p', at('a', 'request.decide')));
  const owns = active(policy('o', OWNERSHIP));

  test('changes for the agents of gains and losses, for all with the whole organization, and for none otherwise', () => {
    const reach = (before: AccessState, after: AccessState) =>
      decidingChanges([accessDifference(before, after, 'open')]);
    expect(reach(active(), decides)).toEqual(['a']);
    expect(reach(owns, decides)).toBe('all');
    expect(reach(active(), active(policy('p', wide('agent.read'))))).toEqual([]);
  });

  test('counts those that the change concerns and all others, owners last, and reaches zero', () => {
    const changed = [holder('mia', active(), decides), holder('bob', owns, decides)].map(
      changedDecider,
    );
    expect(['a', 'b'].map((slug) => hasOtherDeciders(changed, slug))).toEqual([true, true]);
    const other = { membershipId: 'zoe', displayName: 'zoe', isOwner: true };
    const others = new Map([
      ['a', { deciders: [other], count: 1, ownerCount: 1 }],
      ['b', { deciders: [], count: 0, ownerCount: 0 }],
    ]);
    expect(
      agentDeciders(changed, others, 2).map(({ deciders, ...agent }) => ({
        ...agent,
        deciders: deciders.map(({ displayName }) => displayName),
      })),
    ).toEqual([
      { slug: 'a', before: 2, after: 3, ownersAfter: 1, deciders: ['bob', 'mia'] },
      { slug: 'b', before: 1, after: 0, ownersAfter: 0, deciders: [] },
    ]);
  });
});
