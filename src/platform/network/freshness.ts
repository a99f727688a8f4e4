/** How long a response may be used again, as its headers say (RFC 9111). */

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response that says nothing about it. */
const UNSAID_SECONDS = 300;

/** Whole seconds; 0 when it must be asked for again each time. */
export function freshSeconds(headers: Headers, mostSeconds: number): number {
  const directives = textOf(headers['cache-control']).toLowerCase().split(',');
  const named = new Map(
    directives.map((directive) => {
      const [name = '', value = ''] = directive.trim().split('=');
      return [name, value.replaceAll('"', '')];
    }),
  );
  if (named.has('no-store') || named.has('no-cache')) return 0;
  const age = secondsOf(textOf(headers['age'])) ?? 0;
  const said =
    secondsOf(named.get('s-maxage')) ?? secondsOf(named.get('max-age')) ?? untilExpires(headers);
  const left = (said ?? (named.has('max-age') ? 0 : UNSAID_SECONDS)) - age;
  return Math.min(Math.max(left, 0), mostSeconds);
}

/** `Expires` in the past, or not a date, means that it is over. */
function untilExpires(headers: Headers): number | undefined {
  const expires = textOf(headers['expires']);
  if (expires === '') return undefined;
  const from = Date.parse(textOf(headers['date'])) || Date.now();
  const left = Math.floor((Date.parse(expires) - from) / 1_000);
  return Number.isNaN(left) ? 0 : left;
}

const textOf = (value: string | string[] | undefined): string => [value ?? ''].flat().join(',');

function secondsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : undefined;
}
