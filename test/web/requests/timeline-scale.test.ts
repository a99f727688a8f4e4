/** The picture of a timeline: where events are, and which idle times are folded. */
import { describe, expect, test } from '@jest/globals';
import { scaleOf } from '../../../web/src/areas/requests/timeline/timeline-scale.ts';

const positions = (times: readonly number[]) => scaleOf(times).marks.map(({ at }) => at);

describe('a timeline', () => {
  test('shows short times to scale', () => {
    expect(positions([0, 10, 40])).toEqual([0, 0.25, 1]);
    expect(scaleOf([0, 10, 40]).folds).toEqual([]);
  });

  test('folds a long idle time to a quarter of the picture', () => {
    const { marks, folds } = scaleOf([0, 30, 30 + 7_200, 60 + 7_200]);
    expect(folds).toEqual([{ from: 0.375, to: 0.625, seconds: 7_200 }]);
    expect(marks.map(({ at }) => at)).toEqual([0, 0.375, 0.625, 1]);
  });

  test('has events at one moment at one place, and one event at the start', () => {
    expect(positions([5, 5, 5])).toEqual([0, 0.5, 1]);
    expect(positions([5])).toEqual([0]);
    expect(positions([])).toEqual([]);
  });
});
