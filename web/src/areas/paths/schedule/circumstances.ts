/** What a schedule is previewed for: starts, deadlines and time zones that the page offers. Pure. */
import { formatDuration } from '../../../../../src/domain/durations.ts';
import { PRESETS } from '../../../shared/schedule/first-asked.ts';
import { isZone, nextMoment, type Zone } from '../../../shared/schedule/zone-times.ts';
import type { HoursView } from '../document/read-path.ts';
import { paths as text } from '../text.ts';

export interface Start {
  readonly key: string;
  readonly label: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The zone in which the usual times are those of the office. */
export const officeZone = (hours: readonly HoursView[]): Zone => zonesOf(hours)[0];

/** One may be half typed. */
const zonesOf = (hours: readonly HoursView[]): readonly string[] => [
  ...new Set(hours.map(({ timezone }) => timezone).filter(isZone)),
];

/** The usual times, after this instant. */
export const presetStarts = (zone: Zone, now: number): readonly Start[] =>
  PRESETS.map((moment) => {
    const label = `${text.weekdays[moment.weekday]} ${String(moment.hour).padStart(2, '0')}:00`;
    return { key: label, label, at: new Date(nextMoment(zone, moment, now)).toISOString() };
  });

export interface Timeout {
  /** As the API writes it. */
  readonly value: string;
  readonly label: 'median' | 'long' | 'usual' | 'slow' | undefined;
}

const COMMON = ['15m', '1h', '4h', '24h', '168h'];
const MOST_SECONDS = 168 * 3_600;

/** Those of the last 30 days on the path. */
export const timeoutsOfPath = (had: {
  readonly median: string;
  readonly p95: string;
}): readonly Timeout[] => [
  { value: had.median, label: 'median' },
  ...(had.p95 === had.median ? [] : [{ value: had.p95, label: 'long' as const }]),
];

/** While no request was on the path. `seconds`: the timeouts of requests that were made. */
export function usualTimeouts(seconds: readonly number[]): readonly Timeout[] {
  const sorted = seconds
    .filter((each) => each >= 1 && each <= MOST_SECONDS)
    .toSorted((one, other) => one - other);
  const at = (share: number): string | undefined => {
    const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    return found === undefined ? undefined : formatDuration(found);
  };
  const [usual, slow] = [at(0.5), at(0.95)];
  return [
    ...(usual === undefined ? [] : [{ value: usual, label: 'usual' as const }]),
    ...(slow === undefined || slow === usual ? [] : [{ value: slow, label: 'slow' as const }]),
  ];
}

/** Those that the page offers, the known ones first. `chosen`: one more, such as that of a line that was dragged. */
export function timeoutChoices(known: readonly Timeout[], chosen: string): readonly Timeout[] {
  const others = new Set([...COMMON, ...(chosen === '' ? [] : [chosen])]);
  for (const { value } of known) others.delete(value);
  return [...known, ...[...others].map((value) => ({ value, label: undefined }))];
}

interface ZoneChoice {
  readonly key: string;
  readonly label: string;
  readonly zone: Zone;
}

export const zoneChoices = (hours: readonly HoursView[]): readonly ZoneChoice[] => [
  { key: 'mine', label: text.zones.mine, zone: undefined },
  ...zonesOf(hours)
    .filter((zone) => zone !== 'UTC')
    .map((zone) => ({ key: zone, label: zone, zone })),
  { key: 'UTC', label: text.zones.utc, zone: 'UTC' },
];
