/** Parsing working hours and deferrals: which documents are accepted, and the pointers of all others. */
import { describe, expect, test } from '@jest/globals';
import { parseEscalationPathDocument } from '../../../src/domain/escalation/parse.ts';
import { LIMITS } from '../../../src/domain/escalation/document.ts';
import { WEEKDAYS } from '../../../src/domain/escalation/weekly-hours.ts';
import type { ExactObject } from '../../../src/platform/json/exact-values.ts';
import {
  interval,
  hours,
  STANDARD,
  branch,
  defer,
  path,
  withHours,
  withInterval,
  withNodes,
  problems,
  HOURS,
  INTERVAL,
} from './documents.ts';

describe('working hours', () => {
  test('get the canonical spelling of their time zone', () => {
    const result = parseEscalationPathDocument(withHours(hours({ timezone: 'europe/berlin' })));
    expect(result).toMatchObject({
      document: { working_hours: [{ timezone: 'Europe/Berlin' }] },
    });
  });

  test.each<[string, ExactObject]>([
    ['end at midnight', withInterval({ start: '00:00', end: '24:00' })],
    ['run past midnight', withInterval({ start: '22:00', end: '06:00' })],
    ['end at 00:00 of the next day', withInterval({ start: '23:59', end: '00:00' })],
    ['be in a zone of half hours', withHours(hours({ timezone: 'Asia/Kolkata' }))],
    ['be in UTC', withHours(hours({ timezone: 'UTC' }))],
    [
      'overlap',
      withHours(hours({ intervals: [interval(), interval({ start: '12:00', end: '20:00' })] })),
    ],
    ['start on every day', withInterval({ weekdays: [...WEEKDAYS] })],
    [
      'come in 50 sets',
      withHours(
        ...Array.from({ length: LIMITS.workingHours }, (_, n) => hours({ id: `set-${n}` })),
      ),
    ],
    [
      'have 50 intervals',
      withHours(hours({ intervals: Array.from({ length: LIMITS.intervals }, () => interval()) })),
    ],
    [
      'have an id of 64 characters',
      path({
        working_hours: [hours({ id: 'x'.repeat(64) })],
        nodes: [defer({ working_hours_id: 'x'.repeat(64) })],
      }),
    ],
  ])('may %s', (_, document) => {
    expect(parseEscalationPathDocument(document)).toEqual({ ok: true, document });
  });

  test.each<[string, ExactObject, string[]]>([
    [
      'an unknown zone',
      withHours(hours({ timezone: 'Mars/Olympus' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'an offset for a zone',
      withHours(hours({ timezone: '+02:00' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'an offset of UTC for a zone',
      withHours(hours({ timezone: 'UTC+2' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      "the machine's own zone",
      withHours(hours({ timezone: 'local' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    [
      'a zone with a blank',
      withHours(hours({ timezone: 'Europe/Berlin ' })),
      [`${HOURS}/timezone unknown_timezone`],
    ],
    ['an empty zone', withHours(hours({ timezone: '' })), [`${HOURS}/timezone invalid_value`]],
    ['a number as a zone', withHours(hours({ timezone: 1 })), [`${HOURS}/timezone invalid_type`]],
    [
      '24:00 as a start',
      withInterval({ start: '24:00', end: '23:00' }),
      [`${INTERVAL}/start invalid_value`],
    ],
    ['an end after 24:00', withInterval({ end: '24:01' }), [`${INTERVAL}/end invalid_value`]],
    [
      'an hour without its zero',
      withInterval({ start: '9:00' }),
      [`${INTERVAL}/start invalid_value`],
    ],
    ['seconds', withInterval({ start: '09:00:00' }), [`${INTERVAL}/start invalid_value`]],
    ['a minute of sixty', withInterval({ end: '17:60' }), [`${INTERVAL}/end invalid_value`]],
    [
      'a line break after the time',
      withInterval({ end: '17:0\n' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a start that is its end',
      withInterval({ start: '09:00', end: '09:00' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a day of no length',
      withInterval({ start: '00:00', end: '00:00' }),
      [`${INTERVAL}/end invalid_value`],
    ],
    [
      'a weekday twice',
      withInterval({ weekdays: ['mon', 'tue', 'mon'] }),
      [`${INTERVAL}/weekdays/2 duplicate_weekday`],
    ],
    [
      'a weekday written out',
      withInterval({ weekdays: ['monday'] }),
      [`${INTERVAL}/weekdays/0 invalid_value`],
    ],
    ['no weekday', withInterval({ weekdays: [] }), [`${INTERVAL}/weekdays invalid_value`]],
    [
      'eight weekdays',
      withInterval({ weekdays: [...WEEKDAYS, 'mon'] }),
      [`${INTERVAL}/weekdays too_many`],
    ],
    ['no interval', withHours(hours({ intervals: [] })), [`${HOURS}/intervals invalid_value`]],
    [
      '51 intervals',
      withHours(hours({ intervals: Array.from({ length: 51 }, () => interval()) })),
      [`${HOURS}/intervals too_many`],
    ],
    [
      '51 sets',
      withHours(...Array.from({ length: 51 }, (_, n) => hours({ id: `set-${n}` }))),
      ['/working_hours too_many'],
    ],
    ['an id used twice', withHours(hours(), hours()), ['/working_hours/1/id duplicate_id']],
    ['an empty id', withHours(hours({ id: '' })), [`${HOURS}/id invalid_value`]],
    [
      'an id of 65 characters',
      withHours(hours({ id: 'x'.repeat(65) })),
      [`${HOURS}/id invalid_value`],
    ],
    ['a blank name', withHours(hours({ name: ' ' })), [`${HOURS}/name invalid_value`]],
    ['an unknown member', withInterval({ break: '12:00' }), [`${INTERVAL}/break unknown_field`]],
    [
      'an interval of nothing',
      withHours(hours({ intervals: [{}] })),
      [`${INTERVAL}/weekdays required`, `${INTERVAL}/start required`, `${INTERVAL}/end required`],
    ],
  ])('with %s are refused with a pointer', (_, document, expected) => {
    expect(problems(document)).toEqual(expected);
  });

  test('that a deferral or a condition names must exist in the document', () => {
    const condition = { type: 'working_hours', working_hours_id: 'nights', active: true };
    const nodes = [
      defer({ working_hours_id: 'nights' }),
      branch({ conditions: [STANDARD, condition], else: [defer({ working_hours_id: 'Office' })] }),
    ];
    expect(problems(path({ nodes }))).toEqual([
      '/nodes/0/working_hours_id unknown_working_hours',
      '/nodes/1/conditions/1/working_hours_id unknown_working_hours',
      '/nodes/1/else/0/working_hours_id unknown_working_hours',
    ]);
    expect(
      problems(path({ working_hours: undefined, nodes: [defer()] } as unknown as ExactObject)),
    ).toEqual(['/nodes/0/working_hours_id unknown_working_hours']);
  });

  test('with a problem of their own still count as known to nodes that name them', () => {
    expect(
      problems(path({ working_hours: [hours({ timezone: 'Mars/Olympus' })], nodes: [defer()] })),
    ).toEqual([`${HOURS}/timezone unknown_timezone`]);
  });
});

describe('a deferral', () => {
  test('delays every request by default', () => {
    const { standard_only: _, ...bare } = defer();
    const result = parseEscalationPathDocument(withNodes(bare));
    expect(result.ok && result.document.nodes).toEqual([{ ...bare, standard_only: false }]);
  });

  test.each<[string, ExactObject, string[]]>([
    ['a text for a boolean', { standard_only: 'no' }, ['/nodes/0/standard_only invalid_type']],
    [
      'hours by something other than text',
      { working_hours_id: null },
      ['/nodes/0/working_hours_id invalid_type'],
    ],
    ['a wait of its own', { escalate_after: '5m' }, ['/nodes/0/escalate_after unknown_field']],
  ])('with %s is refused', (_, members, expected) => {
    expect(problems(withNodes(defer(members)))).toEqual(expected);
  });
});
