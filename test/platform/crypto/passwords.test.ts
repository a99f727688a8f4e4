import { describe, expect, test } from '@jest/globals';
import { Overloaded } from '../../../src/platform/bulkhead.ts';
import { hashPassword, verifyPassword } from '../../../src/platform/crypto/passwords.ts';

describe('passwords', () => {
  test('are stored as argon2id with a salt each', async () => {
    const [first, second] = [
      await hashPassword('correct horse'),
      await hashPassword('correct horse'),
    ];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
  });

  test('match only themselves', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('Correct horse', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
  });

  test('typed with composed or decomposed letters are the same password', async () => {
    expect(
      await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait')),
    ).toBe(true);
  });

  test('never match an account without one, and that also takes a whole verification', async () => {
    const hash = await hashPassword('correct horse');
    await verifyPassword('warm up', undefined);
    const absent = await leastWork(async () => await verifyPassword('correct horse', undefined));
    const wrong = await leastWork(async () => await verifyPassword('wrong horse', hash));
    expect(await verifyPassword('correct horse', undefined)).toBe(false);
    // Without a verification the work would be a hundredth of this.
    expect(absent).toBeGreaterThan(wrong / 10);
  });

  test('are hashed and verified a few at a time: a caller who would wait too long is refused at once, the others are served', async () => {
    const hash = await hashPassword('correct horse');
    const work = Array.from({ length: 80 }, (_, index) =>
      index % 2 === 0 ? verifyPassword('correct horse', hash) : hashPassword('x'),
    );
    const results = await Promise.allSettled(work);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(28);
    expect(refused.every(({ reason }) => reason instanceof Overloaded)).toBe(true);
    expect(
      results
        .slice(0, 52)
        .every(
          (result, index) =>
            result.status === 'fulfilled' && (index % 2 === 1 || result.value === true),
        ),
    ).toBe(true);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
  });

  test('of one caller leave room for others, however many there are', async () => {
    const hash = await hashPassword('correct horse');
    const flood = Promise.allSettled(
      Array.from({ length: 80 }, async () => await verifyPassword('a guess', hash, '203.0.113.1')),
    );
    expect(await verifyPassword('correct horse', hash, '203.0.113.2')).toBe(true);
    expect((await flood).filter(({ status }) => status === 'rejected')).toHaveLength(66);
  });
});

/**
 * CPU microseconds of all threads of this process, because elapsed time depends on other work on
 * this machine.
 */
async function leastWork(work: () => Promise<unknown>): Promise<number> {
  const amounts: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    amounts.push(user + system);
  }
  return Math.min(...amounts);
}
