/** When working hours are active, in many zones and around their clock changes. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WEEKDAYS } from '../../../../src/domain/escalation/weekly-hours.ts';
import type { WorkingHoursSet, WorkingInterval } from '../../../../src/domain/escalation/types.ts';
import { isActive, nextOpening } from '../../../../src/domain/escalation/working-hours.ts';
import { activeMinutes, clocksOf } from './slow-hours.ts';

const MINUTE = 60_000;
const hours = (timezone: string, ...intervals: readonly WorkingInterval[]): WorkingHoursSet => ({
  id: 'h',
  name: 'H',
  timezone,
  intervals,
});
const daily = (start: string, end: string): WorkingInterval => ({ weekdays: WEEKDAYS, start, end });

/** The instants between two at which the hours open (+) and close (-), to the minute. */
function edges(set: WorkingHoursSet, from: string, to: string): string[] {
  const found: string[] = [];
  let before = isActive(set, new Date(from));
  for (let at = Date.parse(from) + MINUTE; at <= Date.parse(to); at += MINUTE) {
    const now = isActive(set, new Date(at));
    if (now !== before) found.push(`${now ? '+' : '-'} ${new Date(at).toISOString().slice(0, 16)}`);
    before = now;
  }
  return found;
}

describe('working hours', () => {
  test('are active from their start up to but excluding their end', () => {
    const set = hours('Europe/Berlin', { weekdays: ['mon'], start: '09:00', end: '17:00' });
    const [start, end] = [Date.parse('2026-01-05T08:00Z'), Date.parse('2026-01-05T16:00Z')];
    expect([start - 1, start, end - 1, end].map((at) => isActive(set, new Date(at)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('open now if they are active, else at their next start', () => {
    const set = hours('Europe/Berlin', { weekdays: ['mon', 'fri'], start: '09:00', end: '17:00' });
    const monday = new Date('2026-01-05T12:34:56.789Z');
    expect(nextOpening(set, monday)).toEqual(monday);
    expect(nextOpening(set, new Date('2026-01-05T16:00Z'))).toEqual(new Date('2026-01-09T08:00Z'));
    expect(nextOpening(set, new Date('2026-01-09T18:00Z'))).toEqual(new Date('2026-01-12T08:00Z'));
  });

  test('until 24:00 end with the day, and join hours from 00:00', () => {
    expect(
      edges(
        hours('Asia/Kolkata', daily('18:00', '24:00')),
        '2026-01-05T00:00Z',
        '2026-01-06T00:00Z',
      ),
    ).toEqual(['+ 2026-01-05T12:30', '- 2026-01-05T18:30']);
    const whole = hours('Asia/Kolkata', daily('00:00', '24:00'));
    expect(edges(whole, '2026-01-05T00:00Z', '2026-01-07T00:00Z')).toEqual([]);
    expect(isActive(whole, new Date('2026-01-05T18:30Z'))).toBe(true);
  });

  test('past midnight belong to the day on which they start', () => {
    const set = hours('UTC', { weekdays: ['sun'], start: '22:00', end: '06:00' });
    expect(edges(set, '2026-01-03T00:00Z', '2026-01-09T00:00Z')).toEqual([
      '+ 2026-01-04T22:00',
      '- 2026-01-05T06:00',
    ]);
  });

  test.each([
    [
      'on a leap day',
      { weekdays: ['thu'], start: '09:00', end: '10:00' } as const,
      '2024-02-23T00:00Z',
      '2024-02-29T09:00Z',
    ],
    [
      'past the end of a leap day',
      { weekdays: ['thu'], start: '23:00', end: '01:00' } as const,
      '2024-02-29T23:30Z',
      '2024-02-29T23:30Z',
    ],
    [
      'over the end of a year',
      { weekdays: ['thu'], start: '00:00', end: '01:00' } as const,
      '2025-12-26T00:00Z',
      '2026-01-01T00:00Z',
    ],
    [
      'before 1970',
      { weekdays: ['wed'], start: '09:00', end: '10:00' } as const,
      '1969-12-26T00:00Z',
      '1969-12-31T09:00Z',
    ],
  ])('%s are found', (_, interval, now, opening) => {
    expect(nextOpening(hours('UTC', interval), new Date(now))).toEqual(new Date(opening));
  });

  test.each([
    ['half an hour', 'Asia/Kolkata', '2026-01-05T03:30Z'],
    ['three quarters', 'Asia/Kathmandu', '2026-01-05T03:15Z'],
    ['half an hour, moved by half an hour in summer', 'Australia/Lord_Howe', '2026-01-04T22:00Z'],
    ['fourteen hours', 'Pacific/Kiritimati', '2026-01-04T19:00Z'],
    ['eleven hours behind', 'Pacific/Pago_Pago', '2026-01-05T20:00Z'],
  ])('in a zone off by %s open there', (_, zone, opening) => {
    const set = hours(zone, { weekdays: ['mon'], start: '09:00', end: '10:00' });
    expect(nextOpening(set, new Date('2026-01-02T12:00Z'))).toEqual(new Date(opening));
  });

  test('follow the time zone of their own set, not of an earlier one', () => {
    const before = hours('Etc/GMT-1', daily('09:00', '17:00'));
    const recorded = nextOpening(before, new Date('2026-06-01T20:00Z'));
    const updated = { ...before, timezone: 'Etc/GMT-2' };
    expect(recorded).toEqual(new Date('2026-06-02T08:00Z'));
    expect(nextOpening(updated, new Date('2026-06-01T20:00Z'))).toEqual(
      new Date('2026-06-02T07:00Z'),
    );
  });

  test('of an unknown zone are never active and never awaited', () => {
    const set = hours('Mars/Olympus', daily('00:00', '24:00'));
    expect([isActive(set, new Date(0)), nextOpening(set, new Date(0))]).toEqual([false, undefined]);
  });
});

describe('when clocks go forward', () => {
  // In Berlin the clock jumps from 02:00 to 03:00, at 01:00 UTC.
  const berlin = (start: string, end: string) =>
    edges(
      hours('Europe/Berlin', { weekdays: ['sun'], start, end }),
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
    );

  test.each([
    [
      'hours that start in the gap open after it',
      '02:30',
      '05:00',
      ['+ 2026-03-29T01:00', '- 2026-03-29T03:00'],
    ],
    [
      'hours that end in the gap close before it',
      '00:30',
      '02:30',
      ['+ 2026-03-28T23:30', '- 2026-03-29T01:00'],
    ],
    ['hours inside the gap do not open', '02:15', '02:45', []],
    [
      'hours that start in the gap and end soon behind it are short',
      '02:50',
      '03:20',
      ['+ 2026-03-29T01:00', '- 2026-03-29T01:20'],
    ],
    [
      'hours around the gap are an hour shorter',
      '00:00',
      '06:00',
      ['+ 2026-03-28T23:00', '- 2026-03-29T04:00'],
    ],
  ])('%s', (_, start, end, expected) => {
    expect(berlin(start, end)).toEqual(expected);
  });

  test('hours inside the gap next open a week later', () => {
    const set = hours('Europe/Berlin', { weekdays: ['sun'], start: '02:15', end: '02:45' });
    expect(nextOpening(set, new Date('2026-03-28T12:00Z'))).toEqual(new Date('2026-04-05T00:15Z'));
  });

  test.each([
    ['Europe/Berlin', '02:15', '2026-03-29T01:00Z'],
    ['America/New_York', '02:45', '2026-03-08T07:00Z'],
    ['Australia/Lord_Howe', '02:10', '2026-10-03T15:30Z'],
    ['Africa/Cairo', '00:30', '2026-04-23T22:00Z'],
  ])('in %s, hours from %s open at the first instant after the gap', (zone, start, opening) => {
    const expected = new Date(opening);
    const before = new Date(expected.getTime() - 60 * MINUTE);
    expect(nextOpening(hours(zone, daily(start, '20:00')), before)).toEqual(expected);
  });
});

describe('when clocks go back', () => {
  // In Berlin the clock shows the hour from 02:00 twice, from 00:00 and from 01:00 UTC.
  const berlin = (start: string, end: string) =>
    edges(
      hours('Europe/Berlin', { weekdays: ['sun'], start, end }),
      '2026-10-24T12:00Z',
      '2026-10-26T12:00Z',
    );

  test.each([
    [
      'hours that start in the repeated hour close when it repeats, until their start',
      '02:15',
      '05:00',
      ['+ 2026-10-25T00:15', '- 2026-10-25T01:00', '+ 2026-10-25T01:15', '- 2026-10-25T04:00'],
    ],
    [
      'hours that end in the repeated hour open again when it repeats',
      '00:30',
      '02:30',
      ['+ 2026-10-24T22:30', '- 2026-10-25T00:30', '+ 2026-10-25T01:00', '- 2026-10-25T01:30'],
    ],
    [
      'hours inside the repeated hour open twice',
      '02:10',
      '02:50',
      ['+ 2026-10-25T00:10', '- 2026-10-25T00:50', '+ 2026-10-25T01:10', '- 2026-10-25T01:50'],
    ],
    [
      'hours around it are an hour longer',
      '00:00',
      '06:00',
      ['+ 2026-10-24T22:00', '- 2026-10-25T05:00'],
    ],
  ])('%s', (_, start, end, expected) => {
    expect(berlin(start, end)).toEqual(expected);
  });

  test('a deferral between both passes ends at the second', () => {
    const set = hours('Europe/Berlin', { weekdays: ['sun'], start: '02:10', end: '02:50' });
    expect(nextOpening(set, new Date('2026-10-25T00:55Z'))).toEqual(new Date('2026-10-25T01:10Z'));
  });
});

describe('a day that a zone skips', () => {
  // Samoa went from Thursday, 29 December 2011, to Saturday, 31 December.
  const samoa = (weekdays: WorkingInterval['weekdays'], start: string, end: string) =>
    edges(
      hours('Pacific/Apia', { weekdays, start, end }),
      '2011-12-29T12:00Z',
      '2012-01-01T12:00Z',
    );

  test('has no hours of its own', () => {
    expect(samoa(['fri'], '09:00', '17:00')).toEqual([]);
    expect(samoa(['sat'], '09:00', '17:00')).toEqual(['+ 2011-12-30T19:00', '- 2011-12-31T03:00']);
  });

  test('ends the hours of the night before it at midnight', () => {
    expect(samoa(['thu'], '22:00', '06:00')).toEqual(['+ 2011-12-30T08:00', '- 2011-12-30T10:00']);
  });

  test('keeps the part of its own night that is on the next day', () => {
    expect(samoa(['fri'], '22:00', '06:00')).toEqual(['+ 2011-12-30T10:00', '- 2011-12-30T16:00']);
  });
});

describe('minute by minute, compared with a second implementation', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 59))
    .map(clock);
  const interval: fc.Arbitrary<WorkingInterval> = fc
    .record({
      weekdays: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      start: time,
      end: fc.oneof(time, fc.constant('24:00')),
    })
    .filter(({ start, end }) => start !== end);

  function clock([hour, minute]: readonly [number, number]): string {
    return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  }

  // Each a week around a clock change, or around nothing at all.
  test.each([
    ['Europe/Berlin', '2026-03-25'],
    ['Europe/Berlin', '2026-10-21'],
    ['America/New_York', '2026-03-04'],
    ['America/New_York', '2026-10-28'],
    ['Australia/Lord_Howe', '2026-04-01'],
    ['Australia/Lord_Howe', '2026-10-01'],
    ['Africa/Cairo', '2026-04-20'],
    ['America/Havana', '2026-10-28'],
    ['Asia/Kolkata', '2026-02-26'],
    ['Asia/Kathmandu', '2025-12-29'],
    ['Pacific/Apia', '2011-12-26'],
    ['Pacific/Apia', '2021-03-31'],
    ['Pacific/Chatham', '2026-04-01'],
    ['Africa/Cairo', '2026-10-26'],
    ['Africa/Casablanca', '2026-02-11'],
    ['Antarctica/Troll', '2026-03-25'],
    ['America/St_Johns', '2026-10-28'],
    ['Asia/Tehran', '2022-03-17'],
    ['Pacific/Kwajalein', '1993-08-18'],
  ])(
    '%s from %s: the hours are active as clocks show, and the next opening is the next active minute',
    (zone, from) => {
      const clocks = clocksOf(zone, new Date(from), 14);
      const week = 7 * 24 * 60;
      const at = (minute: number): Date => new Date(Date.parse(from) + minute * MINUTE);
      fc.assert(
        fc.property(
          fc.array(interval, { minLength: 1, maxLength: 3 }),
          fc.integer({ min: 0, max: week }),
          (intervals, looked) => {
            const set = hours(zone, ...intervals);
            const expected = activeMinutes(set, clocks);
            // Minutes at which something changes, those before them, and some in between.
            const minutes = expected.flatMap((active, minute) =>
              minute % 61 === 0 ||
              active !== expected[minute - 1] ||
              active !== expected[minute + 1]
                ? [minute]
                : [],
            );
            const wrong = minutes.filter(
              (minute) => isActive(set, at(minute)) !== expected[minute],
            );
            expect(wrong.map((minute) => at(minute).toISOString())).toEqual([]);
            const opens = expected.indexOf(true, looked);
            const opening = nextOpening(set, at(looked));
            if (opens !== -1) expect(opening).toEqual(at(opens));
            if (opening) expect(isActive(set, opening)).toBe(true);
          },
        ),
        { numRuns: 5 },
      );
    },
  );
});
