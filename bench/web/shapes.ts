// cspell:disable
/** Calls of every shape that an agent may send, each near the most that the service takes. */

export const USUAL_CALL = {
  arguments: {
    payment_id: 'pay_81',
    amount: '120.50',
    currency: 'EUR',
    customer: 'Jo Marsh',
    reason: 'The parcel came back.',
  },
};

/** Of 1 MiB, the most that the arguments may have. */
const MOST = 1_000_000;

const list = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_none, index) => item(index));
const members = (length: number, value: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(list(length, (index) => [`key_${index}`, value(index)]));
/** As its JSON is sent. */
const filled = (piece: string): string =>
  piece.repeat(Math.floor(MOST / (Buffer.byteLength(JSON.stringify(piece)) - 2)));
const nested = (depth: number, inside: unknown): unknown =>
  depth === 0 ? inside : { [`level_${depth}`]: nested(depth - 1, inside), beside: depth };

const row = (index: number) => ({
  id: `pay_${index}`,
  amount: index / 4,
  currency: 'EUR',
  to: `person${index}@example.com`,
});

export const SHAPES: Readonly<Record<string, { readonly arguments: unknown }>> = {
  '2,000 rows': { arguments: { rows: list(2_000, row) } },
  '12,000 rows': { arguments: { rows: list(12_000, row) } },
  '7,000 unlike rows': {
    arguments: {
      rows: list(7_000, (at) => ({ ...row(at), [`only_${at}`]: [at, { deep: true }] })),
    },
  },
  '30,000 keys': { arguments: members(30_000, (at) => `value ${at}`) },
  '100,000 numbers': { arguments: { values: list(100_000, (at) => 100_000 + at) } },
  '60,000 empty lists': { arguments: { items: list(60_000, () => [[], {}]) } },
  '98 levels': {
    arguments: nested(
      48,
      list(40, (at) => nested(48, at)),
    ),
  },
  'one text': { arguments: { text: filled('The parcel came back. ') } },
  'one word': { arguments: { text: filled('x') } },
  lines: { arguments: { text: filled('a line of it\n') } },
  'short texts': { arguments: { items: list(60_000, (at) => `text ${at}`) } },
  'mixed scripts': { arguments: { text: filled('p\u0430ypal ') } },
  'mixed scripts in short texts': { arguments: { items: list(40_000, () => 'p\u0430ypal') } },
  'hidden characters': { arguments: { text: filled('a\u200bb ') } },
  'hidden characters in short texts': { arguments: { items: list(60_000, () => 'a\u200bb') } },
  'two directions': { arguments: { text: filled('שלום abc ') } },
  'foreign digits': { arguments: { text: filled('١٢٣ 123 ') } },
  'blank runs': { arguments: { text: filled(`a${' '.repeat(50)}`) } },
  'long keys': { arguments: { [filled('key ')]: 1 } },
  secrets: { arguments: { items: list(20_000, (at) => ({ password: `hunter${at}` })) } },
  'secrets in texts': {
    arguments: { items: list(15_000, () => 'with sk_live_aaaaaaaaaaaaaaaaaaaaaaaa in it') },
  },
};
