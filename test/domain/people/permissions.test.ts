/** The permission vocabulary: who can hold what, and at which scope. */
import { describe, expect, test } from '@jest/globals';
import {
  isPermission,
  isValidScope,
  mayHold,
  permissionEntry,
  permissions,
} from '../../../src/domain/people/permissions.ts';

const keysWhere = (predicate: (entry: (typeof permissions)[number]) => boolean) =>
  permissions
    .filter(predicate)
    .map((entry) => entry.key)
    .sort();

describe('permission vocabulary', () => {
  test('every key appears once and names its resource first', () => {
    expect(new Set(permissions.map((entry) => entry.key)).size).toBe(permissions.length);
    expect(permissions).toHaveLength(41);
    for (const entry of permissions) {
      expect(entry.key.startsWith(`${entry.resource}.`)).toBe(true);
      expect(entry.area).not.toBe(entry.resource);
      expect(entry.description).toMatch(/^[A-Z].+\.$/);
      expect(permissionEntry(entry.key)).toBe(entry);
    }
  });

  test('exactly six permissions are dangerous', () => {
    expect(keysWhere((entry) => entry.dangerous)).toEqual([
      'agent.credential.issue',
      'api_key.organization.issue',
      'connection.write',
      'organization.delete',
      'permission_policy.write',
      'request.decide.unrouted',
    ]);
  });

  test('exactly five permissions belong to the hosted edition', () => {
    expect(keysWhere((entry) => entry.edition === 'hosted')).toEqual([
      'api_key.organization.issue',
      'audit.read',
      'gateway.call',
      'gateway.read',
      'gateway.write',
    ]);
  });

  test('an agent can ask and read, and can never decide or claim', () => {
    expect(keysWhere((entry) => entry.holders.includes('agent'))).toEqual([
      'request.create',
      'request.read',
    ]);
    expect(mayHold('human', 'request.create')).toBe(false);
    expect(keysWhere((entry) => entry.holders.includes('gateway'))).toEqual(['gateway.call']);
  });

  test('no key can issue, list or revoke keys', () => {
    expect(
      keysWhere((entry) => entry.holders.includes('human') && !entry.holders.includes('api_key')),
    ).toEqual(['api_key.issue', 'api_key.organization.issue', 'api_key.read', 'api_key.revoke']);
  });

  test('an organization key cannot claim, decide or manage people and access', () => {
    expect(
      keysWhere(
        (entry) =>
          entry.holders.includes('api_key') && !entry.holders.includes('organization_api_key'),
      ),
    ).toEqual([
      'connection.read',
      'connection.write',
      'membership.invite',
      'membership.write',
      'organization.delete',
      'organization.settings.write',
      'permission_policy.read',
      'permission_policy.write',
      'request.claim',
      'request.decide',
      'request.decide.unrouted',
      'team.member.write',
      'team.write',
    ]);
  });

  test('team permissions can be granted for a team, and those of agents, pipelines, requests and the gateway for an agent', () => {
    for (const entry of permissions) {
      const narrowest = {
        team: 'team',
        agent: 'agent',
        pipeline: 'agent',
        request: 'agent',
        gateway: 'agent',
      }[entry.resource];
      expect(entry.scopes).toEqual(narrowest ? ['organization', narrowest] : ['organization']);
      expect(isValidScope(entry.key, 'organization')).toBe(true);
      expect(isValidScope(entry.key, 'team')).toBe(entry.resource === 'team');
    }
  });

  test('a key outside the vocabulary is no permission, even when every object has a property of that name', () => {
    expect(isPermission('request.decide')).toBe(true);
    for (const key of ['request', 'request.decide.', 'Request.decide', '', 'toString', '__proto__'])
      expect(isPermission(key)).toBe(false);
  });
});
