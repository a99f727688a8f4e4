/** The web app draws the same working hours as the service walks by. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isActive, nextOpening } from '../../../src/domain/escalation/working-hours.ts';
import { WEEKDAYS } from '../../../src/domain/escalation/weekly-hours.ts';
import { openRanges, openState } from '../../../web/src/shared/schedule/open-hours.ts';
import { nextClockChange, overlapMs } from '../../../web/src/areas/paths/document/hours-facts.ts';
import {
  clockChanges,
  dateTime,
  nextMoment,
  weekdayTime,
} from '../../../web/src/shared/schedule/zone-times.ts';

const DAY = 86_400_000;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];
const clock = fc
  .integer({ min: 0, max: 47 })
  .map((half) => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`);
const interval = fc
  .record({
    weekdays: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    start: clock,
    end: fc.oneof(clock, fc.constant('24:00')),
  })
  .filter(({ start, end }) => start !== end);
const hours = fc.record({
  timezone: fc.constantFrom(...ZONES),
  intervals: fc.array(interval, { minLength: 1, maxLength: 3 }),
});
/** Both changes of clocks in Berlin. */
const instant = fc
  .tuple(
    fc.constantFrom('2026-03-27T00:00Z', '2026-10-23T00:00Z'),
    fc.integer({ min: 0, max: 5 * DAY }),
  )
  .map(([start, after]) => Date.parse(start) + after);

describe('working hours in the browser', () => {
  test('are open at the same instants as in the service', () => {
    fc.assert(
      fc.property(hours, instant, (set, at) => {
        const service = { id: 'a', name: 'A', ...set };
        const state = openState(set, at);
        expect(state.isOpen).toBe(isActive(service, new Date(at)));
        if (!state.isOpen)
          expect(state.changesAt).toBe(nextOpening(service, new Date(at))?.getTime());
        const [range] = openRanges(set, { from: at, to: at + 3 * DAY });
        if (range) expect(isActive(service, new Date(range.to - 1))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('are closed in a zone that the browser does not know', () => {
    const intervals = [{ weekdays: [...WEEKDAYS], start: '00:00', end: '24:00' }];
    expect(openState({ timezone: 'Mars/Olympus', intervals }, 0)).toEqual({ isOpen: false });
  });
});

describe('times of a zone', () => {
  test('name the weekday and the clock there', () => {
    const at = Date.parse('2026-03-09T08:00:00Z');
    expect(weekdayTime('Europe/Berlin', at)).toBe('Mon 09:00');
    expect(dateTime('America/New_York', at)).toBe('Mon 9 Mar, 04:00');
  });

  test('have the instant at which clocks change', () => {
    const range = { from: Date.parse('2026-03-27T11:00Z'), to: Date.parse('2026-04-02T11:00Z') };
    expect(clockChanges('Europe/Berlin', range)).toEqual([Date.parse('2026-03-29T01:00Z')]);
    expect(clockChanges('UTC', range)).toEqual([]);
  });

  test('find the next moment of a week, after a change of clocks too', () => {
    const friday = Date.parse('2026-03-27T11:00Z');
    const monday = nextMoment('Europe/Berlin', { weekday: 0, hour: 9 }, friday);
    expect(new Date(monday).toISOString()).toBe('2026-03-30T07:00:00.000Z');
    const same = nextMoment('Europe/Berlin', { weekday: 4, hour: 12 }, friday);
    expect(new Date(same).toISOString()).toBe('2026-04-03T10:00:00.000Z');
  });
});

describe('what one should know of working hours', () => {
  const HOUR = 3_600_000;
  const office = (timezone: string) => ({
    timezone,
    intervals: [{ weekdays: [...WEEKDAYS.slice(0, 5)], start: '09:00', end: '17:00' }],
  });
  const from = Date.parse('2026-02-04T10:00Z');

  test('is how long they overlap in a week, across zones', () => {
    const [berlin, york, tokyo] = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'].map(office);
    if (!berlin || !york || !tokyo) throw new Error('three offices');
    expect(overlapMs(berlin, york, from)).toBe(5 * 2 * HOUR);
    expect(overlapMs(york, tokyo, from)).toBe(0);
    expect(overlapMs(berlin, { ...york, timezone: 'Nowhere/At_All' }, from)).toBe(0);
  });

  test('is when their clocks change next, and how', () => {
    expect(nextClockChange('Europe/Berlin', from)).toEqual({
      ...{ at: Date.parse('2026-03-29T01:00Z'), byMs: HOUR },
    });
    expect(nextClockChange('Australia/Lord_Howe', from)?.byMs).toBe(-HOUR / 2);
    expect(nextClockChange('Asia/Kolkata', from)).toBeUndefined();
  });
});
