/** What the shared schemas of bodies accept and refuse. */
import { describe, expect, test } from '@jest/globals';
import { label, timestampInput } from '../../../api/http/schema.ts';

const messages = (result: {
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
}) => result.error?.issues.map(({ message }) => message);

describe('a label', () => {
  const name = label('A name.', 20);

  test.each(['\u200b', '\u202e', ' \u3164 ', '\ufeff', ''])(
    'with only invisible characters is blank: %j',
    (text) => {
      expect(messages(name.safeParse(text))).toContain('must not be blank');
    },
  );

  test.each(['Ada\u202eadmin', 'Ada\u200b', 'Ada\nMarsh', 'Ada\0'])(
    'with an invisible character is refused: %j',
    (text) => {
      expect(messages(name.safeParse(text))).toEqual([
        'must not contain control, format or invisible characters',
      ]);
    },
  );

  test('of a person stays as written', () => {
    expect(name.parse(' Zoë Ångström ☎️ ')).toBe(' Zoë Ångström ☎️ ');
  });
});

describe('an instant in a body', () => {
  const instant = timestampInput('An instant.');

  test.each([
    '9999-12-31T23:59:59-12:00',
    '9999-12-31T23:59:59.999-00:01',
    '0001-01-01T00:00:00+12:00',
    '0000-01-01T00:00:00Z',
  ])('outside the years of an answer is refused: %s', (text) => {
    expect(messages(instant.safeParse(text))).toEqual(['must be in the years 0001 to 9999 of UTC']);
  });

  test.each(['9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z', '2026-03-02T08:30:00.000Z'])(
    'is answered as sent: %s',
    (text) => {
      expect(instant.parse(text).toISOString()).toBe(text);
    },
  );

  test.each(['2026-11-20t18:00:00z', '2026-11-20T18:00:00z', '2026-11-20t19:00:00+01:00'])(
    'may be written in small letters: %s',
    (text) => {
      expect(instant.parse(text).toISOString()).toBe('2026-11-20T18:00:00.000Z');
    },
  );

  test.each([
    'tomorrow',
    '2026-11-20',
    '2026-11-20T18:00:00',
    '2026-02-30T18:00:00Z',
    '2026-11-20T24:00:00Z',
    '',
    ' 2026-11-20T18:00:00Z',
  ])('that is malformed is refused with an example: %j', (text) => {
    expect(messages(instant.safeParse(text))).toEqual([
      'must be an instant with its offset from UTC, such as 2026-03-06T16:30:00Z',
    ]);
  });
});
