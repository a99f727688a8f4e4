/** The codes that people type to find a machine, and which agents they may choose. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  hashUserCode,
  isAllowedTarget,
  newUserCode,
  USER_CODE_BYTES,
  type AgentEnrollment,
} from '../../../src/domain/agents/agent-enrollments.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';

const random = fc.uint8Array({ minLength: USER_CODE_BYTES, maxLength: USER_CODE_BYTES });
const codeOf = (bytes: Uint8Array) => newUserCode(Buffer.from(bytes));

describe('a user code', () => {
  test('is three letters, a hyphen, and four letters or digits, none of which look alike', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        expect(codeOf(bytes)).toMatch(/^[A-HJKMNP-Z]{3}-[A-HJKMNP-Z2-9]{4}$/);
      }),
    );
  });

  test('uses every character of its alphabet at every place', () => {
    const seen = Array.from({ length: 8 }, () => new Set<string>());
    for (let number = 0; number < 100_000; number += 1) {
      const bytes = Buffer.alloc(USER_CODE_BYTES);
      bytes.writeUIntBE(number * 112_311, USER_CODE_BYTES - 6, 6);
      for (const [place, character] of [...newUserCode(bytes)].entries())
        seen[place]?.add(character);
    }
    expect(seen.map((characters) => characters.size)).toEqual([23, 23, 23, 1, 31, 31, 31, 31]);
  });

  test('is the same in small letters, without its hyphen and with spaces', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const code = codeOf(bytes);
        for (const typed of [
          code.toLowerCase(),
          code.replace('-', ''),
          ` ${code.replace('-', ' - ')} `,
        ])
          expect(hashUserCode(typed)).toEqual(hashUserCode(code));
      }),
    );
  });

  test('is another one with another character', () => {
    expect(hashUserCode('KQM-7X2R')).not.toEqual(hashUserCode('KQM-7X2S'));
  });
});

describe('the agent of an enrollment', () => {
  const enrollment = (requestedAgentSlug: string | null): AgentEnrollment => ({
    id: '0198f3a2-7e20-7b55-8d3f-6f70819203a4',
    runtime: 'test',
    requestedAgentSlug,
    instanceName: 'laptop',
    instanceMetadata: new JsonText('{}'),
    status: 'awaiting_authorization',
    expiresAt: new Date(0),
  });
  const existing = { kind: 'agent', slug: 'deploy-bot' } as const;
  const created = { kind: 'new_agent', slug: 'deploy-bot', name: 'Deploy bot' } as const;

  test.each([
    ['any agent, when none is requested', null, existing, true],
    ['a new agent, when none is requested', null, created, true],
    ['the requested agent', 'deploy-bot', existing, true],
    ['another agent than the requested one', 'other-bot', existing, false],
    ['a new agent in place of the requested one', 'deploy-bot', created, false],
  ])('%s', (_what, requested, target, allowed) => {
    expect(isAllowedTarget(enrollment(requested), target)).toBe(allowed);
  });
});
