import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MemberPrincipal } from '../../../src/domain/people/authorization.ts';
import { formatDuration, parseDuration } from '../../../src/domain/durations.ts';
import {
  changesTo,
  describeChanges,
  requireMayChange,
  type OrganizationTerms,
  slugOf,
} from '../../../src/domain/organization/organizations.ts';
import { anyCharacter } from '../../support/characters.ts';

const terms: OrganizationTerms = {
  name: 'Example Works',
  claimTimeout: 900,
  personalApiKeysAllowed: true,
  maxApiKeyLifetime: 3_600,
  requireMfa: false,
  reauthenticationWindow: 900,
  agentPendingShare: 0.25,
  hiddenNames: { defaults: true, add: ['iban'] },
};

function person({
  assurance = 'single_factor' as 'single_factor' | 'strong',
  isRecent = true,
  requiresMfa = false,
} = {}): MemberPrincipal {
  return {
    kind: 'member',
    organizationId: 'o',
    membershipId: 'm',
    userId: 'u',
    displayName: 'Ada Marsh',
    email: 'ada@example.com',
    isOwner: true,
    grants: [],
    teamIds: [],
    requiresMfa,
    accessVersion: 0,
    via: { kind: 'session', sessionId: 's', isRecent },
    auth: { method: 'local_password', assurance, authenticated_at: new Date(0) },
  };
}

const key: MemberPrincipal = {
  ...person({ assurance: 'strong' }),
  via: { kind: 'api_key', keyId: 'k', scopedTo: null },
};

const codeOf = (run: () => void): unknown => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe('the changes', () => {
  test('contains the terms that are named and differ', () => {
    const wanted = { ...terms, name: 'Other', maxApiKeyLifetime: null, claimTimeout: undefined };
    expect(changesTo(terms, wanted)).toEqual({ name: 'Other', maxApiKeyLifetime: null });
    expect(changesTo(terms, {})).toEqual({});
  });

  test('is presented with old and new values, with durations as text', () => {
    expect(
      describeChanges(terms, { claimTimeout: 60, maxApiKeyLifetime: null, requireMfa: true }),
    ).toEqual({
      claim_timeout: { old: '15m', new: '1m' },
      max_api_key_lifetime: { old: '1h', new: null },
      require_mfa: { old: false, new: true },
    });
  });
});

describe('the caller of a change', () => {
  test.each([{ name: 'Other' }, { claimTimeout: 60 }, {}])(
    '%j: needs only the permission',
    (changes) => {
      expect(codeOf(() => requireMayChange(key, changes))).toBeUndefined();
      expect(codeOf(() => requireMayChange(person({ isRecent: false }), changes))).toBeUndefined();
    },
  );

  const sensitive = [
    { personalApiKeysAllowed: false },
    { maxApiKeyLifetime: null },
    { reauthenticationWindow: 60 },
    { requireMfa: false },
  ];
  test.each(sensitive)(
    '%j: needs recent authentication, with a second factor where required',
    (changes) => {
      expect(codeOf(() => requireMayChange(key, changes))).toBe('session_required');
      expect(codeOf(() => requireMayChange(person({ isRecent: false }), changes))).toBe(
        'reauthentication_required',
      );
      expect(codeOf(() => requireMayChange(person({ requiresMfa: true }), changes))).toBe(
        'mfa_required',
      );
      expect(codeOf(() => requireMayChange(person(), changes))).toBeUndefined();
    },
  );

  test('requireMfa: needs a second factor of their own', () => {
    expect(codeOf(() => requireMayChange(person(), { requireMfa: true }))).toBe('mfa_required');
    expect(
      codeOf(() => requireMayChange(person({ assurance: 'strong' }), { requireMfa: true })),
    ).toBeUndefined();
  });
});

test('a duration is presented in the largest whole unit and parses back to itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 315_360_000 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds))).toBe(seconds * 1_000);
    }),
  );
  expect([60, 90, 900, 3_600, 5_400, 86_400].map(formatDuration)).toEqual([
    '1m',
    '90s',
    '15m',
    '1h',
    '90m',
    '24h',
  ]);
});

describe('the slug of an organization', () => {
  test.each([
    ['Example Works', 'example-works'],
    ['  Ünïted Ägents, Inc.  ', 'united-agents-inc'],
    ['株式会社', 'organization'],
    ['---', 'organization'],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('%j becomes %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test('is valid whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (name) => {
        expect(slugOf(name)).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
      }),
    );
  });
});
