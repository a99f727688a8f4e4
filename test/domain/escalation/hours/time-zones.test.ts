/** The spelling in which names of time zones are stored. */
import { describe, expect, test } from '@jest/globals';
import { canonicalTimeZone } from '../../../../src/domain/escalation/time-zones.ts';

/** Aliases of the tz database that this runtime does not list by itself. */
const ALIASES = [
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Europe/Kyiv', 'America/Port-au-Prince', 'EST5EDT'],
  ...['Africa/Asmera', 'America/Argentina/ComodRivadavia', 'America/Indiana/Knox', 'US/Eastern'],
  ...['America/Knox_IN', 'Antarctica/DumontDUrville', 'Asia/Ust-Nera', 'Australia/ACT', 'Cuba'],
  ...['Brazil/DeNoronha', 'Chile/EasterIsland', 'Etc/UCT', 'Etc/Zulu', 'GB-Eire', 'NZ-CHAT'],
  ...['Mexico/BajaSur', 'US/East-Indiana', 'W-SU', 'GMT0', 'UTC', 'Etc/UTC', 'Etc/GMT+5', 'PRC'],
  ...['Africa/Bissau', 'America/Blanc-Sablon', 'Africa/Porto-Novo', 'America/St_Johns', 'Hongkong'],
  ...['Pacific/Truk', 'Europe/Isle_of_Man', 'Africa/Dar_es_Salaam', 'America/Port_of_Spain'],
];

describe('a time zone', () => {
  const names = [...new Set([...Intl.supportedValuesOf('timeZone'), ...ALIASES])];

  test.each([
    ['lower case', (name: string) => name.toLowerCase()],
    ['capitals', (name: string) => name.toUpperCase()],
    ['its own spelling', (name: string) => name],
  ])('sent in %s has the spelling of the tz database', (_, sent) => {
    const wrong = names.filter((name) => canonicalTimeZone(sent(name)) !== name);
    expect(wrong).toEqual([]);
  });

  test.each(['Mars/Olympus', '+02:00', 'UTC+2', 'local', 'Europe/Berlin ', ''])(
    'is not %j',
    (name) => {
      expect(canonicalTimeZone(name)).toBeUndefined();
    },
  );
});
