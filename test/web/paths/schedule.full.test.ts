/** The model of the schedule picture: lanes, bars, the deadline, and where instants are. */
import { describe, expect, test } from '@jest/globals';
import { firstAsked, firstAskedText } from '../../../web/src/shared/schedule/first-asked.ts';
import {
  labelledTimes,
  scaleOf,
  scheduleOf,
  type PathPreview,
  type PreviewedStep,
} from '../../../web/src/shared/schedule/schedule.ts';

const SATURDAY = '2026-03-07T11:00:00.000Z';
const MONDAY = '2026-03-09T08:00:00.000Z';
const at = (start: string, minutes: number) =>
  new Date(Date.parse(start) + minutes * 60_000).toISOString();

const step = (
  kind: PreviewedStep['kind'],
  when: string,
  more: Partial<PreviewedStep> = {},
): PreviewedStep => ({
  kind,
  at: when,
  node_id: 'n',
  run: 1,
  targets: [],
  local_times: [],
  ...more,
});

const asks = (names: readonly string[], when: string, minutes: number, more = {}): PreviewedStep =>
  step('level_notified', when, {
    members: names.map((name) => ({ membership_id: name, display_name: name })),
    until: at(when, minutes),
    ...more,
  });

const preview = (steps: readonly PreviewedStep[], hours?: number): PathPreview => ({
  starts_at: SATURDAY,
  ...(hours !== undefined && { expires_at: at(SATURDAY, hours * 60) }),
  steps: [...steps],
});

const weekend = [
  step('deferred', SATURDAY, { until: MONDAY, working_hours_id: 'office' }),
  asks(['Mia', 'Jonas'], MONDAY, 30),
  asks(['Ada'], at(MONDAY, 30), 60),
];
const ms = Date.parse;

test('a person who is told over one channel after the other gets a mark for each, up to the end of the picture', () => {
  const steps: { channel: 'email' | 'slack' | 'push'; after: string }[] = [
    { channel: 'slack', after: '0' },
    { channel: 'email', after: '5m' },
    { channel: 'push', after: '5m' },
    { channel: 'slack', after: '60m' },
  ];
  const members = [
    { membership_id: 'ada', display_name: 'Ada', steps },
    { membership_id: 'ben', display_name: 'Ben' },
  ];
  const { lanes } = scheduleOf(
    preview([
      step('level_notified', SATURDAY, {
        members,
        until: at(SATURDAY, 30),
      }),
    ]),
  );
  const minutes = lanes.map(({ messages }) =>
    messages.map(({ from }) => (from - Date.parse(SATURDAY)) / 60_000),
  );
  expect(minutes).toEqual([[0, 5], [0]]);
});

describe('a schedule', () => {
  test('has a lane per person, who waits for hours before being asked', () => {
    const { lanes, from, to, firstAsked: first } = scheduleOf(preview(weekend));
    expect([from, to, first]).toEqual([ms(SATURDAY), ms(at(MONDAY, 90)), ms(MONDAY)]);
    expect(lanes.map(({ names }) => names)).toEqual([['Mia'], ['Jonas'], ['Ada']]);
    expect(lanes[0]?.bars.map(({ kind, from: start }) => [kind, start])).toEqual([
      ['waits', ms(SATURDAY)],
      ['asked', ms(MONDAY)],
    ]);
    expect(lanes[2]?.messages).toEqual([{ from: ms(at(MONDAY, 30)), nodeId: 'n', isLate: false }]);
  });

  test('marks what comes after the deadline, and cuts a bar there', () => {
    const { lanes, deadline, to } = scheduleOf(preview(weekend, 24));
    expect(deadline).toBe(ms(at(SATURDAY, 24 * 60)));
    expect(lanes[0]?.bars.map(({ kind, isLate }) => [kind, isLate])).toEqual([
      ['waits', false],
      ['waits', true],
      ['asked', true],
    ]);
    // What comes after the first level does not belong to the picture.
    expect(to).toBe(ms(at(MONDAY, 30)));
  });

  test('puts people with the same times together where they are many', () => {
    const crowd = Array.from({ length: 200 }, (_, index) => `Person ${index}`);
    const { lanes, hidden } = scheduleOf(
      preview([asks(['Ada'], SATURDAY, 5), asks(crowd, at(SATURDAY, 5), 5)]),
    );
    expect(lanes.map(({ names }) => names.length)).toEqual([1, 200]);
    expect(hidden).toBe(0);
  });

  test('says so where a wait leads to no one', () => {
    const { lanes, firstAsked: first } = scheduleOf(
      preview([weekend[0] ?? step('deferred', SATURDAY)]),
    );
    expect(lanes.map(({ names }) => names)).toEqual([[]]);
    expect(first).toBeUndefined();
  });

  test('leaves short times enough room to be seen beside long ones', () => {
    const place = scaleOf([0, 45 * 60, 45 * 60 + 1, 50 * 60]);
    expect(place(0)).toBe(0);
    expect(place(50 * 60)).toBe(1);
    expect(place(45 * 60 + 1) - place(45 * 60)).toBeGreaterThan(0.04);
    expect(place(60)).toBeLessThan(place(61));
    expect(scaleOf([7])(7)).toBe(0);
  });

  test('labels the most important times that have room', () => {
    expect(labelledTimes([0, 100, 50, 52, 96], (time) => time / 100, 0.1)).toEqual([0, 50, 100]);
  });
});

describe('the first person asked', () => {
  test.each([
    ['at once', preview([asks(['Ada'], SATURDAY, 5)]), 'asked at once'],
    [
      'at once and urgently',
      preview([step('urgency_raised', SATURDAY), asks(['Ada'], SATURDAY, 5)]),
      'asked at once, urgent',
    ],
    ['on Monday', preview(weekend), 'first asked Mon 09:00 (45 h)'],
    [
      'after the deadline',
      preview(weekend, 24),
      'first asked Mon 09:00 (45 h), after the deadline',
    ],
    ['never', preview([]), 'no one is asked'],
  ])('is told %s', (_when, given, sentence) => {
    expect(firstAskedText(firstAsked(given), 'Europe/Berlin')).toBe(sentence);
  });
});
