import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bulkhead, Overloaded } from '../../src/platform/bulkhead.ts';

/** A piece of work that ends on demand. */
class Work {
  started = false;
  end = (): void => undefined;
  fail = (): void => undefined;

  readonly run = (): Promise<string> =>
    new Promise((resolve, reject) => {
      this.started = true;
      this.end = () => resolve('done');
      this.fail = () => reject(new Error('broken'));
    });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a bulkhead', () => {
  test('runs as much at once as allowed, lets the rest wait in line, and refuses what is beyond', async () => {
    const gate = bulkhead({ atOnce: 2, waiting: 2 });
    const pieces = [new Work(), new Work(), new Work(), new Work()];
    const results = pieces.map(({ run }) => gate(run));
    await expect(gate(new Work().run)).rejects.toThrow(Overloaded);
    const started = () => pieces.map(({ started: begun }) => begun);
    expect(started()).toEqual([true, true, false, false]);
    pieces[1]?.end();
    await settled();
    expect(started()).toEqual([true, true, true, false]);
    const late = new Work();
    const lateResult = gate(late.run);
    pieces[0]?.end();
    await settled();
    expect([...started(), late.started]).toEqual([true, true, true, true, false]);
    pieces[2]?.end();
    pieces[3]?.end();
    await settled();
    late.end();
    expect(await Promise.all([...results, lateResult])).toEqual([
      'done',
      'done',
      'done',
      'done',
      'done',
    ]);
  });

  test('limits each caller to a share of the waiting line, so that others find a place', async () => {
    const gate = bulkhead({ atOnce: 1, waiting: 3, waitingEach: 2 });
    const pieces = Array.from({ length: 4 }, () => new Work());
    const [running, second, third, others] = pieces as [Work, Work, Work, Work];
    const results = [running, second, third].map(({ run }) => gate(run, 'flood'));
    await expect(gate(new Work().run, 'flood')).rejects.toMatchObject({
      name: 'Overloaded',
      by: 'caller',
    });
    results.push(gate(others.run, 'victim'));
    await expect(gate(new Work().run, 'another')).rejects.toMatchObject({
      name: 'Overloaded',
      by: 'all',
    });
    for (const piece of [running, others, second, third]) {
      piece.end();
      await settled();
    }
    expect(await Promise.all(results)).toEqual(Array(4).fill('done'));
  });

  test('runs no more of one caller at once than its share, and another one in the meantime', async () => {
    const gate = bulkhead({ atOnce: 3, atOnceEach: 2, waiting: 3 });
    const pieces = Array.from({ length: 4 }, () => new Work());
    const [first, second, third, other] = pieces as [Work, Work, Work, Work];
    const results = [first, second, third].map(({ run }) => gate(run, 'flood'));
    results.push(gate(other.run, 'victim'));
    expect(pieces.map(({ started }) => started)).toEqual([true, true, false, true]);
    other.end();
    await settled();
    expect(third.started).toBe(false);
    first.end();
    await settled();
    expect(third.started).toBe(true);
    second.end();
    third.end();
    expect(await Promise.all(results)).toEqual(Array(4).fill('done'));
  });

  test('lets callers take turns, however much one of them asks for', async () => {
    const gate = bulkhead({ atOnce: 2, atOnceEach: 1, waiting: Infinity });
    const order: string[] = [];
    const work = (caller: string) => async () => {
      order.push(caller);
      await settled();
    };
    const callers = [
      ...Array<string>(5).fill('key'),
      ...Array<string>(5).fill('session'),
      'victim',
    ];
    await Promise.all(callers.map((caller) => gate(work(caller), caller)));
    expect(order.indexOf('victim')).toBeLessThan(4);
    expect(order.toSorted()).toEqual(callers.toSorted());
  });

  test('keeps the order of one caller, however much it adds', async () => {
    const gate = bulkhead({ atOnce: 2, waiting: Infinity });
    const order: number[] = [];
    const all: Promise<void>[] = [];
    const add = () => {
      const number = all.length;
      const work = async () => {
        order.push(number);
        await settled();
        if (number > 8 && number < 30) add();
      };
      all.push(gate(work, 'busy'));
    };
    for (let number = 0; number < 12; number += 1) add();
    while (order.length < all.length) await settled();
    await Promise.all(all);
    expect(order).toEqual(all.map((_, number) => number));
  });

  test('gives the place of failed work to the next one', async () => {
    const gate = bulkhead({ atOnce: 1, waiting: 1 });
    const [first, second] = [new Work(), new Work()];
    const failing = expect(gate(first.run)).rejects.toThrow('broken');
    const next = gate(second.run);
    first.fail();
    await failing;
    await settled();
    second.end();
    expect(await next).toBe('done');
  });

  test('never runs more than allowed, and loses nothing, in any order of endings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 }),
        async (atOnce, lengths) => {
          const gate = bulkhead({ atOnce, waiting: 30 });
          let [running, most] = [0, 0];
          const piece = (ticks: number) => async () => {
            most = Math.max(most, ++running);
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
            running -= 1;
            return ticks;
          };
          expect(await Promise.all(lengths.map((ticks) => gate(piece(ticks))))).toEqual(lengths);
          expect([running, most]).toEqual([0, Math.min(atOnce, lengths.length)]);
        },
      ),
    );
  });
});
