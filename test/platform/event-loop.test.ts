/** Long work takes turns: all of it comes to its end, and everything else has its turn meanwhile. */
import { expect, test } from '@jest/globals';
import { mapYielding, createYielder } from '../../src/platform/event-loop.ts';

function workFor(ms: number): void {
  const started = performance.now();
  while (performance.now() - started < ms);
}

test('much long work at once gives the loop free after each turn, and all of it ends', async () => {
  const order: string[] = [];
  const job = async (name: string, parts: number) => {
    const yieldIfDue = createYielder();
    for (let part = 0; part < parts; part += 1) {
      workFor(5);
      order.push(name);
      await yieldIfDue();
    }
    return name;
  };
  let others = 0;
  const between = setInterval(() => {
    order.push('other');
    others += 1;
  }, 0);
  const names = Array.from({ length: 10 }, (_, index) => `job ${index}`);
  const ended = await Promise.all([...names.map((name) => job(name, 3)), job('long', 20)]);
  clearInterval(between);
  expect(ended).toEqual([...names, 'long']);
  // The first parts began at once. After them each turn lets other work run.
  const later = order.slice(order.indexOf('other'));
  for (const [index, name] of later.entries())
    if (name !== 'other' && index > 0) expect(later[index - 1]).toBe('other');
  expect(others).toBeGreaterThan(30);
});

test('work that fails, or never asks for its yieldIfDue turn, does not hold up the line', async () => {
  const failing = mapYielding(['a', 'b'], (item) => {
    workFor(5);
    if (item === 'b') throw new Error('failed');
  });
  const yieldIfDue = createYielder();
  workFor(5);
  void yieldIfDue();
  const after = mapYielding([1, 2, 3], (item) => {
    workFor(5);
    return item * 2;
  });
  await expect(failing).rejects.toThrow('failed');
  await expect(after).resolves.toEqual([2, 4, 6]);
});
