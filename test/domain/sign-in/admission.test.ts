import { describe, expect, test } from '@jest/globals';
import { decideAdmission, type AdmissionFacts } from '../../../src/domain/sign-in/admission.ts';

const STATUSES = [undefined, null, 'active', 'suspended', 'deprovisioned'] as const;
const BOTH = [true, false];
const FACTS = { hasOtherIdentity: false, isInvited: false, newcomersMayJoin: true };

/** Every combination of facts. */
const all: AdmissionFacts[] = STATUSES.flatMap((byIdentity) =>
  STATUSES.flatMap((byEmail) =>
    BOTH.flatMap((isInvited) =>
      BOTH.flatMap((newcomersMayJoin) =>
        // Only an account can have an identity.
        (byEmail === undefined ? [false] : BOTH).map((hasOtherIdentity) => ({
          byIdentity,
          byEmail,
          hasOtherIdentity,
          isInvited,
          newcomersMayJoin,
        })),
      ),
    ),
  ),
);
const where = (condition: (facts: AdmissionFacts) => boolean) =>
  new Set(all.filter(condition).map(decideAdmission));
const isMember = (status: AdmissionFacts['byIdentity']) =>
  status === 'active' || status === 'suspended';

describe('a person from the identity provider', () => {
  test("enters as the member known by the provider's subject, whatever the email", () => {
    expect(where(({ byIdentity }) => isMember(byIdentity))).toEqual(new Set(['enter']));
  });

  test('is linked to the member with the same email only if that member has no identity yet', () => {
    expect(
      where(
        ({ byIdentity, byEmail, hasOtherIdentity }) =>
          byIdentity === undefined && isMember(byEmail) && !hasOtherIdentity,
      ),
    ).toEqual(new Set(['link']));
    expect(where(({ byIdentity }) => byIdentity !== undefined).has('link')).toBe(false);
  });

  test('is refused where the account of the email has another identity, invited or not', () => {
    expect(
      where(({ byIdentity, hasOtherIdentity }) => byIdentity === undefined && hasOtherIdentity),
    ).toEqual(new Set(['refuse_other_identity']));
  });

  test('who is not a member joins by an invitation', () => {
    const outside = ({ byIdentity, byEmail, hasOtherIdentity }: AdmissionFacts) =>
      !isMember(byIdentity) &&
      !(byIdentity === undefined && (isMember(byEmail) || hasOtherIdentity));
    expect(where((facts) => outside(facts) && facts.isInvited)).toEqual(
      new Set(['accept_invitation']),
    );
    expect(where((facts) => outside(facts) && !facts.isInvited && !facts.newcomersMayJoin)).toEqual(
      new Set(['refuse']),
    );
  });

  test('without an invitation joins only as a new person: removed and known people are refused', () => {
    const joins = all.filter((facts) => decideAdmission(facts) === 'join');
    expect(joins).toEqual([
      { ...FACTS, byIdentity: undefined, byEmail: undefined },
      { ...FACTS, byIdentity: undefined, byEmail: null },
    ]);
  });
});
