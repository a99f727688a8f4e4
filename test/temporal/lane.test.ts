import { describe, expect, test } from '@jest/globals';
import { createMetrics } from '../../src/services/metrics.ts';
import type { CallKind } from '../../src/services/ports.ts';
import { createLane, type LaneCall } from '../../temporal/lane.ts';
import { until } from '../support/waiting.ts';

/** A lane, and calls that end on demand. */
function open() {
  const metrics = createMetrics();
  const stopping = new AbortController();
  const lane = createLane({ observer: metrics.temporalCalls, stopping: stopping.signal });
  const begun: string[] = [];
  const call = (name: string, how: LaneCall) => {
    let end: () => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const ended = new Promise<void>((...settle) => {
      [end, fail] = settle;
    });
    const done = lane.call(how, () => {
      begun.push(name);
      return ended;
    });
    const state = { settled: false };
    const settled = () => {
      state.settled = true;
    };
    done.then(settled, settled);
    return { done, end, fail, settled: () => state.settled };
  };
  const calls = (kind: CallKind, count: number) =>
    Array.from({ length: count }, (_, index) => call(`${kind} ${index + 1}`, { kind }));
  const untilBegun = async (...names: string[]) => {
    await until(`${names.join(', ')} begun`, () => names.every((name) => begun.includes(name)));
  };
  const values = async (name: string) =>
    Object.fromEntries(
      ((await metrics.registry.getSingleMetric(name)?.get())?.values ?? [])
        .filter(({ value }) => value !== 0)
        .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
    );
  return { lane, stopping, begun, call, calls, untilBegun, values };
}

/** Whatever can happen without time passing has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the lane for calls to Temporal', () => {
  test('makes three starts at once, in their order, while another call is made beside them', async () => {
    const { begun, calls, untilBegun } = open();
    const [ensure] = calls('ensure', 1);
    const starts = calls('start', 5);
    await settled();
    expect(begun).toEqual(['ensure 1', 'start 1', 'start 2', 'start 3']);
    starts[1]?.end();
    await untilBegun('start 4');
    expect(begun).not.toContain('start 5');
    for (const each of [ensure, ...starts]) each?.end();
    await Promise.all([ensure, ...starts].map((each) => each?.done));
  });

  test('makes signals one at a time, and before the calls of the reconciler that came earlier', async () => {
    const { begun, calls, untilBegun } = open();
    const [first, second] = calls('ensure', 2);
    const [signal, next] = calls('signal', 2);
    first?.end();
    await untilBegun('signal 1');
    await settled();
    expect(begun).toEqual(['ensure 1', 'signal 1']);
    for (const each of [signal, next, second]) each?.end();
    await untilBegun('ensure 2');
    expect(begun).toEqual(['ensure 1', 'signal 1', 'signal 2', 'ensure 2']);
  });

  test('lets Temporal work after a signal for twice as long as the call took', async () => {
    const { call, untilBegun } = open();
    const times: number[] = [];
    const [first, second] = ['first', 'second'].map((name) => call(name, { kind: 'signal' }));
    await untilBegun('first');
    times.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
    times.push(performance.now());
    first?.end();
    // The caller need not wait for the rest.
    await first?.done;
    second?.end();
    await untilBegun('second');
    const [began = 0, ended = 0] = times;
    // A second at most, which a busy machine may make of the 20 ms.
    const least = Math.min((ended - began) * 1.9, 950);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(least);
  });

  test('reports the failure of a call to its caller, and goes on with the next', async () => {
    const { calls, untilBegun } = open();
    const [first, second] = calls('signal', 2);
    await untilBegun('signal 1');
    first?.fail(new Error('refused'));
    await expect(first?.done).rejects.toThrow('refused');
    second?.end();
    await second?.done;
  });

  test('joins a signal into one of the same workflow that still waits, but not into one under way', async () => {
    const { begun, call, untilBegun, values } = open();
    const how = { kind: 'signal', key: 'signal a', join: true } as const;
    const first = call('first', how);
    const joined = call('joined', how);
    const other = call('other', { ...how, key: 'signal b' });
    await untilBegun('first');
    const late = call('late', how);
    first.end();
    await Promise.all([first.done, joined.done]);
    for (const each of [other, late]) each.end();
    await Promise.all([other.done, late.done]);
    expect(begun).toEqual(['first', 'other', 'late']);
    expect(await values('countersign_temporal_calls_skipped_total')).toEqual({
      'signal joined': 1,
    });
  });

  test('makes the call that has the effect of both in place of the one it joins', async () => {
    const { begun, call, calls, untilBegun } = open();
    const [busy] = calls('signal', 1);
    await untilBegun('signal 1');
    const how = { kind: 'signal', key: 'signal a', join: true } as const;
    const look = call('look', how);
    const answer = call('answer', { ...how, replace: true });
    const later = call('look later', how);
    busy?.end();
    await untilBegun('answer');
    expect(look.settled()).toBe(false);
    answer.end();
    await Promise.all([look.done, answer.done, later.done]);
    expect(begun).toEqual(['signal 1', 'answer']);
  });

  test('gives up a call whose purpose is over before its turn, and lets one under way go on', async () => {
    const { begun, call, calls, values } = open();
    const over = new AbortController();
    const [first, second] = calls('start', 2);
    const underWay = call('under way', { kind: 'start', signal: over.signal });
    const waiting = call('waiting', { kind: 'start', signal: over.signal });
    await settled();
    over.abort(new Error('decided'));
    await expect(waiting.done).rejects.toThrow('decided');
    await expect(call('later', { kind: 'start', signal: over.signal }).done).rejects.toThrow(
      'decided',
    );
    expect(underWay.settled()).toBe(false);
    underWay.end();
    await underWay.done;
    for (const each of [first, second]) each?.end();
    await settled();
    expect(begun).toEqual(['start 1', 'start 2', 'under way']);
    expect(await values('countersign_temporal_calls_skipped_total')).toEqual({ 'start over': 1 });
  });

  test('gives up all that waits when Temporal is away, at once, and works again afterwards', async () => {
    const { lane, begun, calls, call, values } = open();
    const starts = calls('start', 5);
    const [ensure] = calls('ensure', 1);
    const signals = calls('signal', 2);
    await settled();
    lane.giveUp('away', new Error('Temporal does not answer.'));
    const waiting = [...starts.slice(3), ...signals];
    const outcomes = await Promise.allSettled(waiting.map(({ done }) => done));
    expect(outcomes.map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
    expect(starts.map((each) => each.settled())).toEqual([false, false, false, true, true]);
    for (const each of [...starts, ensure]) each?.end();
    const afterwards = call('afterwards', { kind: 'start' });
    afterwards.end();
    await afterwards.done;
    expect(begun).toEqual(['start 1', 'start 2', 'start 3', 'ensure 1', 'afterwards']);
    expect(await values('countersign_temporal_calls_skipped_total')).toEqual({
      'start away': 2,
      'signal away': 2,
    });
  });

  test('refuses what does not fit, and counts it', async () => {
    const { lane, calls, values } = open();
    const many = calls('start', 2_003);
    await expect(calls('start', 1)[0]?.done).rejects.toThrow('2000 calls to Temporal are waiting.');
    expect(await values('countersign_temporal_calls_waiting')).toEqual({ start: 2_000 });
    const [signal] = calls('signal', 1);
    signal?.end();
    await signal?.done;
    lane.giveUp('away', new Error('away'));
    await Promise.allSettled(many.slice(3).map(({ done }) => done));
    expect(await values('countersign_temporal_calls_skipped_total')).toEqual({
      'start full': 1,
      'start away': 2_000,
    });
  });

  test('gives up all that waits when the process stops, and lets calls under way end', async () => {
    const { begun, calls, stopping } = open();
    const starts = calls('start', 4);
    const [ensure] = calls('ensure', 1);
    const [signal] = calls('signal', 1);
    await settled();
    stopping.abort(new Error('stopping'));
    await expect(starts[3]?.done).rejects.toThrow('stopping');
    await expect(signal?.done).rejects.toThrow('stopping');
    await expect(calls('start', 1)[0]?.done).rejects.toThrow('stopping');
    for (const each of [...starts, ensure]) each?.end();
    await Promise.all([...starts.slice(0, 3), ensure].map((each) => each?.done));
    expect(begun).toEqual(['start 1', 'start 2', 'start 3', 'ensure 1']);
  });

  test('shows how many calls wait, for how long the oldest has waited, and how long those that began had waited', async () => {
    const { calls, values } = open();
    const starts = calls('start', 5);
    const waitedFrom = performance.now();
    await until('some time has passed', () => performance.now() - waitedFrom > 30);
    expect(await values('countersign_temporal_calls_waiting')).toEqual({ start: 2 });
    const { '': oldest } = await values('countersign_temporal_calls_oldest_seconds');
    expect(oldest).toBeGreaterThan(0.03);
    for (const each of starts) each.end();
    await Promise.all(starts.map(({ done }) => done));
    expect(await values('countersign_temporal_calls_waiting')).toEqual({});
    expect(await values('countersign_temporal_calls_oldest_seconds')).toEqual({});
    const waited = await values('countersign_temporal_calls_waited_seconds');
    expect(waited['+Inf start']).toBe(5);
    // Two waited for more than 30 ms.
    expect(waited['0.025 start']).toBeLessThanOrEqual(3);
  });
});
