/** Permission policies as sentences: short, complete, and with names apart from our words. */
import { describe, expect, test } from '@jest/globals';
import { permissions } from '../../../src/domain/people/permissions.ts';
import { policySentence, type ToldPolicy } from '../../../src/domain/audit/policy-sentences.ts';

const told = (policy: Partial<ToldPolicy>): string =>
  policySentence({
    scopeKind: 'organization',
    scopeNames: [],
    permissions: [],
    isOwner: false,
    ...policy,
  })
    .map((part) => (typeof part === 'string' ? part : `«${part.name}»`))
    .join('');

const onAgents = (names: string[], ...keys: string[]) =>
  told({ scopeKind: 'agent', scopeNames: names, permissions: keys });
const onTeams = (names: string[], ...keys: string[]) =>
  told({ scopeKind: 'team', scopeNames: names, permissions: keys });
const everywhere = (...keys: string[]) => told({ permissions: keys });

describe('the sentence of a policy', () => {
  test.each([
    [
      onAgents(['Support bot', 'Billing bot'], 'request.decide'),
      'may decide requests of «Support bot» and «Billing bot»',
    ],
    [
      onAgents(['A', 'B', 'C'], 'request.read', 'request.claim', 'request.decide'),
      'may see, claim and decide requests of «A», «B» and «C»',
    ],
    [
      onAgents(['A'], 'agent.read', 'agent.write', 'agent.credential.issue', 'request.decide'),
      'may decide requests, see details, change settings, and issue credentials of «A»',
    ],
    [
      onTeams(['Refund desk'], 'team.read', 'team.member.write'),
      'may see details and change members of the team «Refund desk»',
    ],
    [onTeams(['A', 'B'], 'team.read'), 'may see details of the teams «A» and «B»'],
    [
      everywhere('agent.read', 'pipeline.write'),
      'may see agents and write rules in the whole organization',
    ],
    [
      everywhere('request.decide', 'request.read', 'request.decide.unrouted'),
      'may see and decide requests, and decide requests routed to others in the whole organization',
    ],
    [
      everywhere('agent.read', 'request.read', 'pipeline.read', 'team.read'),
      'may see requests, agents, rules and teams in the whole organization',
    ],
    [
      everywhere('agent.read', 'membership.invite', 'membership.write'),
      'may see agents in the whole organization, and suspend and remove members, and invite people',
    ],
    [everywhere('membership.read', 'escalation_path.read'), 'may see escalation paths and members'],
    [told({ isOwner: true }), 'is an owner: may do everything'],
    [told({}), 'may do nothing'],
    [onAgents([], 'request.decide'), 'may decide requests of no agent'],
    [
      everywhere('membership.read', 'future.key', 'future.other'),
      'may see members, and use «future.key» and «future.other» in the whole organization',
    ],
  ])('%s', (sentence, expected) => {
    expect(sentence).toBe(expected);
  });

  test('depends neither on the order of its permissions nor on repeated ones', () => {
    expect(everywhere('request.decide', 'agent.read', 'request.decide')).toBe(
      everywhere('agent.read', 'request.decide'),
    );
  });

  test('says something else of each permission', () => {
    const keys = permissions.map(({ key }) => key);
    const scopesOf = (kind: 'agent' | 'team') =>
      permissions.filter(({ scopes }) => scopes.includes(kind)).map(({ key }) => key);
    for (const [all, tell] of [
      [keys, everywhere],
      [scopesOf('agent'), (...some: string[]) => onAgents(['A'], ...some)],
      [scopesOf('team'), (...some: string[]) => onTeams(['A'], ...some)],
    ] as const) {
      expect(new Set(all.map((key) => tell(key))).size).toBe(all.length);
    }
  });

  test('says of each permission that can be narrower where it holds, and of no other', () => {
    for (const { key, scopes } of permissions)
      expect([key, everywhere(key).endsWith('in the whole organization')]).toEqual([
        key,
        scopes.length > 1,
      ]);
  });
});
