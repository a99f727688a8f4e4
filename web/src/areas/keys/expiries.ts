/** When a new key may expire. Pure. */
const DAY_MS = 24 * 60 * 60_000;

/** In days, for choices. */
export const LIVES = [7, 30, 90, 365] as const;

const PREFERRED = 90;

/** What a person chooses: some days, a date, or as late as possible. */
export type Life = `${(typeof LIVES)[number]}` | 'date' | 'latest';

/** The lives that the limit allows. `latest`: RFC 3339, undefined without a limit. */
export const livesUnder = (latest: string | undefined, now: number): readonly number[] =>
  LIVES.filter((days) => latest === undefined || now + days * DAY_MS <= Date.parse(latest));

export const firstLife = (latest: string | undefined, now: number): Life => {
  const allowed = livesUnder(latest, now);
  return allowed.includes(PREFERRED) ? `${PREFERRED}` : 'latest';
};

/** RFC 3339. Undefined for the latest: the service knows it best. `date`: the end of this day, in the zone of the reader. */
export function expiryOf(life: Life, { date, now }: { date: string; now: number }) {
  if (life === 'latest') return undefined;
  if (life !== 'date') return new Date(now + Number(life) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** As a field for dates has it, in the zone of the reader. */
export function dateOf(at: number): string {
  const date = new Date(at);
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  return `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
}
