/** Values as plain text, for lists and messages: escapes of visible characters decoded, runs folded, long ones cut in the middle. */
import { quotedInside, unquoted, type SourceValue } from '../../platform/json/source-values.ts';
import { CONCEALED, NOTHING_HIDDEN, shownCharacters, type Hidden } from './hidden.ts';
import { countText, foldText, textPieces, type TextPiece } from './text-pieces.ts';

export interface ValueText {
  readonly text: string;
  readonly isCut: boolean;
}

export interface TextRoom {
  readonly most: number;
  /** The room that a character or an escape takes: at least its length. */
  readonly lengthOf: (piece: string) => number;
  /** How many characters a text has besides those that are known. */
  readonly unread?: number;
}

/** A text of which the middle was not read: where it begins, and how many characters are left out. */
export interface LeftOut {
  readonly at: number;
  readonly characters: number;
}

export interface ValueRoom extends TextRoom {
  readonly leftOut?: LeftOut | undefined;
}

export const ownLength = (piece: string): number => piece.length;

/** Of a longer text only its ends are looked at. */
const LOOKED_AT = 4_000;
const TAIL_SHARE = 4;

/** The characters, and between them ` … (5,000 characters) … ` where some are left out. */
export function shortText(text: string, room: TextRoom): ValueText {
  return cutAtoms(text, atomsOf, room);
}

/** The same between quotes, with the escapes that JSON needs. */
export function quotedText(text: string, room: TextRoom): ValueText {
  const { text: inner, isCut } = cutAtoms(text, (part) => atomsOf(part, quotedInside), room);
  return { text: `"${inner}"`, isCut };
}

function cutAtoms(
  text: string,
  read: (part: string) => string[],
  { most, lengthOf, unread = 0 }: TextRoom,
): ValueText {
  const isLong = text.length > 2 * LOOKED_AT;
  const first = read(isLong ? text.slice(0, LOOKED_AT).replace(/\p{Cs}$/u, '') : text);
  if (!isLong) {
    const all = fitting(first, most, lengthOf);
    if (all.length === first.length) return { text: first.join(''), isCut: false };
  }
  const last = isLong ? read(text.slice(-LOOKED_AT).replace(/^\p{Cs}/u, '')) : first;
  const between = ` … (${countText(text.length + unread)} characters) … `;
  const left = Math.max(0, most - lengthOf(between));
  const tail = Math.floor(left / TAIL_SHARE);
  const head = fitting(first, left - tail, lengthOf);
  const end = fitting(last.toReversed(), tail, lengthOf).reverse();
  return { text: `${head.join('')}${between}${end.join('')}`, isCut: true };
}

const startOf = (text: string, { most, lengthOf }: TextRoom): string =>
  fitting(atomsOf(text.slice(0, LOOKED_AT)), most, lengthOf).join('');

function fitting(atoms: readonly string[], most: number, lengthOf: TextRoom['lengthOf']): string[] {
  let left = most;
  const end = atoms.findIndex((atom) => (left -= lengthOf(atom)) < 0);
  return end === -1 ? [...atoms] : atoms.slice(0, end);
}

/** What is never cut in two: characters, escapes, and the names of folded runs. */
function atomsOf(text: string, written = (character: string): string => character): string[] {
  return textPieces(text).flatMap((piece) =>
    piece.kind === 'text'
      ? [...piece.text].map((character) => written(character))
      : [nameOf(piece)],
  );
}

const nameOf = ({ kind, text, count }: TextPiece): string =>
  kind === 'escape' || kind === 'text' ? text : `[${foldText(kind, count)}]`;

/** A string with its quotes; numbers and words as they were sent. */
export function scalarText(
  value: SourceValue,
  room: TextRoom,
  hidden: Hidden = NOTHING_HIDDEN,
): ValueText {
  if (value.kind === 'string') return quotedText(shownCharacters(value, hidden), room);
  return shortText(value.source, room);
}

/** Room for a key. */
const MOST_KEY = 80;

export const keyText = (keySource: string, { lengthOf }: Pick<TextRoom, 'lengthOf'>): ValueText =>
  quotedText(unquoted(keySource), { most: MOST_KEY, lengthOf });

/** The key with its colon, nothing for an item. Undefined where the key is cut. */
function nameText(keySource: string | undefined, room: TextRoom): string | undefined {
  if (keySource === undefined) return '';
  const { text, isCut } = keyText(keySource, room);
  return isCut ? undefined : `${text}:`;
}

/**
 * A container on one line: `{"a":1,"b":•••}`. Undefined where it does not fit, or something of it would have to be cut.
 */
export function lineText(value: SourceValue, hidden: Hidden, room: TextRoom): string | undefined {
  const parts: string[] = [];
  let left = room.most;
  const add = (part: string): boolean => {
    parts.push(part);
    left -= room.lengthOf(part);
    return left >= 0;
  };
  const visit = (inner: SourceValue): boolean => {
    if (hidden.values.has(inner.offset)) return add(CONCEALED);
    if (inner.kind !== 'object' && inner.kind !== 'array') {
      // A longer one would not fit, so it need not be read.
      if (inner.length > 6 * room.most && !hidden.parts.has(inner.offset)) return false;
      const { text, isCut } = scalarText(inner, room, hidden);
      return !isCut && add(text);
    }
    if (inner.size > room.most) return false;
    const [open = '', close = ''] = inner.kind === 'object' ? '{}' : '[]';
    let separator = open;
    for (const { keySource, value: child } of inner.children()) {
      const name = nameText(keySource, room);
      if (name === undefined || !add(`${separator}${name}`) || !visit(child)) return false;
      separator = ',';
    }
    return add(inner.size === 0 ? `${open}${close}` : close);
  };
  return visit(value) ? parts.join('') : undefined;
}

/** A value in the middle of a sentence or next to others: strings without quotes. */
export function inlineText(value: SourceValue, hidden: Hidden, room: ValueRoom): string {
  if (hidden.values.has(value.offset)) return CONCEALED;
  const unread = room.leftOut?.at === value.offset ? room.leftOut.characters : 0;
  const words = listText(value, hidden, room);
  if (words !== undefined) return words;
  if (value.kind === 'object' || value.kind === 'array') return beginningText(value, hidden, room);
  const text = value.kind === 'string' ? shownCharacters(value, hidden) : value.source;
  // What was read last is not its end.
  return value.isCut ? `${startOf(text, room)}…` : shortText(text, { ...room, unread }).text;
}

const MOST_ITEMS = 3;
const FIRST_ITEMS = 2;
/** With one of these an item could pass for two, or for words of ours. */
const NEEDS_QUOTES = /[,;"“”]|^\s|\s$|\band\b|^$/;

/** A list of plain values as words: `anna@example.com, jo@example.com and 2 more`. Undefined for other values. */
export function listText(value: SourceValue, hidden: Hidden, room: TextRoom): string | undefined {
  if (value.kind !== 'array' || value.size === 0 || value.isCut) return undefined;
  const count = value.size > MOST_ITEMS ? FIRST_ITEMS : value.size;
  const most = Math.max(MOST_CHILD / 2, Math.floor((room.most - MORE_CHARACTERS) / count));
  const items: string[] = [];
  for (const { value: item } of value.children()) {
    if (items.length === count) break;
    if (item.kind === 'object' || item.kind === 'array') return undefined;
    items.push(itemText(item, hidden, { ...room, most }));
  }
  const more = value.size - count;
  return `${items.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`;
}

function itemText(item: SourceValue, hidden: Hidden, room: TextRoom): string {
  if (hidden.values.has(item.offset)) return CONCEALED;
  if (item.kind !== 'string') return shortText(item.source, room).text;
  const text = shownCharacters(item, hidden);
  return (NEEDS_QUOTES.test(text) ? quotedText(text, room) : shortText(text, room)).text;
}

/** A container as far as it fits. */
function beginningText(value: SourceValue, hidden: Hidden, room: TextRoom): string {
  const whole = value.isCut ? undefined : lineText(value, hidden, room);
  if (whole !== undefined) return whole;
  const [open = '', close = ''] = value.kind === 'object' ? '{}' : '[]';
  const parts: string[] = [];
  let left = room.most - MORE_CHARACTERS;
  for (const { keySource, value: child } of value.children()) {
    const name = keySource === undefined ? '' : `${keyText(keySource, room).text}:`;
    const part = `${name}${childText(child, hidden, { ...room, most: Math.max(left, 0) })}`;
    left -= room.lengthOf(`${part},`);
    if (left < 0) break;
    parts.push(part);
  }
  const more = value.size - parts.length;
  const rest = more > 0 ? `… (${countText(more)} more)` : value.isCut ? '…' : '';
  return `${open}${[...parts, ...(rest === '' ? [] : [rest])].join(',')}${close}`;
}

/** Room for how many more there are. */
const MORE_CHARACTERS = 20;
const MOST_CHILD = 40;

function childText(child: SourceValue, hidden: Hidden, room: TextRoom): string {
  if (hidden.values.has(child.offset)) return CONCEALED;
  if (child.size > 0) return lineText(child, hidden, room) ?? '…';
  return scalarText(child, { ...room, most: MOST_CHILD }, hidden).text;
}
