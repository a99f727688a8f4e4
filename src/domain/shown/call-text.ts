/** A call as the plain text of a message: what is hidden stays hidden, and what is left out is said. */
import type { SourceValue } from '../../platform/json/source-values.ts';
import { shownLine } from '../shown-text.ts';
import { flagsOf, type Flag } from './flags.ts';
import { shownCall, type HowToShow, type ShownCall } from './shown-call.ts';
import type { TitlePart } from './title.ts';
import { countText } from './text-pieces.ts';
import { warningText } from './warning-text.ts';
import { CONCEALED, NOTHING_HIDDEN, shownCharacters, type Hidden } from './hidden.ts';
import type { TextRange } from './secret-shapes.ts';
import {
  inlineText,
  keyText,
  lineText,
  ownLength,
  scalarText,
  shortText,
  type LeftOut,
  type TextRoom,
} from './value-text.ts';

export interface MessageRoom {
  /** For all lines of arguments together. */
  readonly total: number;
  /** For one value. */
  readonly value: number;
  /** For one name, such as the tool's. */
  readonly name: number;
  readonly lengthOf: TextRoom['lengthOf'];
}

interface GivenCall {
  readonly tool: string;
  readonly server?: string | undefined;
  readonly agentName: string;
  readonly agentInstanceName: string;
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
  /** Of how many characters only the beginning is read. Absent where all is. */
  readonly beginningOf?: number | undefined;
}

export interface CallText {
  /** What a presentation calls it. */
  readonly title: string | undefined;
  /** The arguments. */
  readonly lines: readonly string[];
  /** What a reader of the lines should know: what is hidden, left out, or may deceive. */
  readonly notes: readonly string[];
  /** False where something is left out or may deceive: then one approves it only where all of it can be read. */
  readonly isWhole: boolean;
}

const MOST_TITLE = 300;
const MOST_TITLE_VALUE = 80;

export function callText(call: GivenCall, how: HowToShow, room: MessageRoom): CallText {
  const { whole, context } = call;
  const shown = shownCall({ whole, context }, how);
  const { presented, hidden, hiddenInContext } = shown;
  const { lines, cuts, leftOut } = whole
    ? argumentLines(whole, hidden, room)
    : { lines: [], cuts: [], leftOut: 1 };
  const flags = flagsOf(call, { whole, context, hidden, hiddenInContext });
  const names = [call.tool, call.server ?? ''].filter((name) => room.lengthOf(name) > room.name);
  return {
    // Nothing is left of a title whose values are all missing.
    title: presented && (titleText(presented.title, hidden) || undefined),
    lines,
    notes: [
      ...beginningNotes(call.beginningOf),
      ...hiddenNotes(shown),
      ...cutNotes(cuts, leftOut),
      ...flagNotes(flags),
    ],
    isWhole:
      call.beginningOf === undefined &&
      cuts.length + leftOut + flags.length + names.length === 0 &&
      isWholeWithHidden(shown, whole, room),
  };
}

/** What no secret but a sentence or a command has: a program may act on it. */
const MORE_THAN_A_SECRET = /[^\w.~+/=:%@!#*,^?-]/;

/** What is hidden makes no message whole that would not be whole with it. */
function isWholeWithHidden(
  { hiddenValues, hiddenParts }: Pick<ShownCall, 'hiddenValues' | 'hiddenParts'>,
  whole: SourceValue | undefined,
  room: MessageRoom,
): boolean {
  if (!whole || hiddenValues.length + hiddenParts.size === 0) return true;
  const { cuts, leftOut } = argumentLines(whole, NOTHING_HIDDEN, room);
  if (cuts.length + leftOut > 0) return false;
  return [...hiddenParts].every(([{ characters }, parts]) =>
    parts.every(({ start, end }) => !MORE_THAN_A_SECRET.test(characters.slice(start, end))),
  );
}

/** A title on one line. */
export function titleText(title: readonly TitlePart[], hidden: Hidden, leftOut?: LeftOut): string {
  const room = { most: MOST_TITLE_VALUE, lengthOf: ownLength, leftOut };
  const text = title
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'offset' in part ? inlineText(part, hidden, room) : CONCEALED;
    })
    .join('');
  return shownLine(text, MOST_TITLE);
}

interface Cut {
  readonly pointer: string;
  readonly characters: number;
}

interface ArgumentLines {
  readonly lines: string[];
  readonly cuts: readonly Cut[];
  /** How many values no line shows. */
  readonly leftOut: number;
}

interface Line {
  readonly text: string;
  readonly leaves: number;
  readonly cut?: Cut;
}

/** The share of the room that the last value gets, if not all fit. */
const LAST_SHARE = 4;
const MOST_LINE = 72;
const MOST_STEPS = 10;

function argumentLines(whole: SourceValue, hidden: Hidden, room: MessageRoom): ArgumentLines {
  if (whole.size === 0)
    return { lines: [whole.kind === 'object' ? '{}' : '[]'], cuts: [], leftOut: 0 };
  const taken: Line[] = [];
  let left = room.total;
  let isAll = true;
  for (const line of linesBelow(whole, 0, { hidden, room })) {
    left -= room.lengthOf(line.text) + 1;
    if (left < 0) {
      isAll = false;
      break;
    }
    taken.push(line);
  }
  if (isAll) return { ...linesOf(taken), leftOut: 0 };
  const share = room.total / LAST_SHARE;
  while (left < share && taken.length > 1) left += room.lengthOf(taken.pop()?.text ?? '') + 1;
  const leaves = whole.leaves;
  const shown = taken.reduce((sum, line) => sum + line.leaves, 0);
  const last = lastLine(whole, {
    hidden,
    room: { ...room, value: Math.min(room.value, share / 2) },
  });
  const between = Math.max(0, leaves.length - shown - 1);
  const { lines, cuts } = linesOf([...taken, last]);
  lines.splice(-1, 0, `… ${countText(between)} more values …`);
  return { lines, cuts, leftOut: between };
}

const linesOf = (lines: readonly Line[]): { lines: string[]; cuts: Cut[] } => ({
  lines: lines.map(({ text }) => text),
  cuts: lines.flatMap(({ cut }) => (cut ? [cut] : [])),
});

interface How {
  readonly hidden: Hidden;
  readonly room: MessageRoom;
}

/** One line for each value, and for the end of a container. Short containers are one line. */
function* linesBelow(container: SourceValue, depth: number, how: How): Generator<Line> {
  const { hidden, room } = how;
  const indent = '  '.repeat(Math.min(depth, MOST_STEPS));
  const lengthOf = room.lengthOf;
  for (const { keySource, value } of container.children()) {
    const key = keySource === undefined ? undefined : keyText(keySource, room);
    const before = `${indent}${key ? `${key.text}: ` : '- '}`;
    const cutKey = key?.isCut
      ? { pointer: value.pointer, characters: keySource?.length ?? 0 }
      : undefined;
    const asLine = lineText(value, hidden, { most: MOST_LINE, lengthOf });
    if (asLine !== undefined || value.size === 0) {
      yield valueLine(before, value, { how, cutKey, asLine });
      continue;
    }
    const [open, close] = value.kind === 'object' ? '{}' : '[]';
    yield { text: `${before}${open}`, leaves: 0, ...(cutKey && { cut: cutKey }) };
    yield* linesBelow(value, depth + 1, how);
    yield { text: `${indent}${close}`, leaves: 0 };
  }
}

function valueLine(
  before: string,
  value: SourceValue,
  {
    how,
    cutKey,
    asLine,
  }: { readonly how: How; readonly cutKey: Cut | undefined; readonly asLine: string | undefined },
): Line {
  const cut = cutKey && { cut: cutKey };
  if (asLine !== undefined)
    return { text: `${before}${asLine}`, leaves: value.leaves.length, ...cut };
  const { room } = how;
  const { text, isCut } = scalarText(
    value,
    { most: room.value, lengthOf: room.lengthOf },
    how.hidden,
  );
  const isString = value.kind === 'string';
  const characters = isString ? shownCharacters(value, how.hidden).length : value.length;
  return {
    text: `${before}${text}`,
    leaves: 1,
    ...(isCut ? { cut: { pointer: value.pointer, characters } } : cut),
  };
}

/** The last value of all, named by its pointer. */
function lastLine(whole: SourceValue, how: How): Line {
  let value = whole;
  let next: SourceValue | undefined = whole;
  while (next && !how.hidden.values.has(value.offset)) {
    value = next;
    next = value.lastChild;
  }
  const name = shortText(value.pointer, { most: 80, lengthOf: how.room.lengthOf }).text;
  const asLine = how.hidden.values.has(value.offset) ? CONCEALED : undefined;
  return valueLine(`${name}: `, value, { how, cutKey: undefined, asLine });
}

const FIRST_PLACES = 5;

/** `/a, /b and 3 more` */
function placesText(places: readonly string[]): string {
  const named = places.slice(0, FIRST_PLACES).join(', ');
  const more = places.length - FIRST_PLACES;
  return more > 0 ? `${named} and ${countText(more)} more` : named;
}

/** A pointer on one line: its keys are an agent's words. */
const placeText = (place: string): string =>
  place === '' ? 'all arguments' : shownLine(place, 80);

const beginningNotes = (characters: number | undefined): string[] =>
  characters === undefined
    ? []
    : [
        `Only the beginning of ${countText(characters)} characters is read here. Open the request to read all of them.`,
      ];

function hiddenNotes({
  hiddenValues,
  hiddenParts,
}: Pick<ShownCall, 'hiddenValues' | 'hiddenParts'>): string[] {
  const places = [
    ...hiddenValues.map(({ offset, pointer }) => ({ offset, place: placeText(pointer) })),
    ...[...hiddenParts].map(([{ offset, pointer }, parts]) => ({
      offset,
      place: `${partsText(parts)} of ${placeText(pointer)}`,
    })),
  ].toSorted((one, other) => one.offset - other.offset);
  if (places.length === 0) return [];
  const named = placesText(places.map(({ place }) => place));
  return [
    places.length === 1
      ? `1 value is hidden: ${named}. Open the request to show it.`
      : `${countText(places.length)} values are hidden: ${named}. Open the request to show them.`,
  ];
}

const partsText = ({ length }: readonly TextRange[]): string =>
  length === 1 ? 'a part' : `${countText(length)} parts`;

function cutNotes(cuts: readonly Cut[], leftOut: number): string[] {
  const places = cuts.map(
    ({ pointer, characters }) => `${placeText(pointer)} (${countText(characters)} characters)`,
  );
  return [
    ...(cuts.length > 0
      ? [`Shortened here: ${placesText(places)}. Open the request to read all of it.`]
      : []),
    ...(leftOut > 0
      ? [
          `Left out here: ${countText(leftOut)} ${leftOut === 1 ? 'value' : 'values'}. Open the request to read all of them.`,
        ]
      : []),
  ];
}

function flagNotes(flags: readonly Flag[]): string[] {
  const notes = flags.slice(0, FIRST_PLACES).map((flag) => {
    const place = `${flag.isContext ? 'context ' : ''}${placeText(flag.place)}`;
    return `Warning: ${place}: ${flagText(flag)}`;
  });
  const more = flags.length - FIRST_PLACES;
  return more > 0
    ? [...notes, `${countText(more)} more warnings. Open the request to read them.`]
    : notes;
}

function flagText({ warning }: Flag): string {
  const word = warning.kind === 'hidden' ? '' : `“${shownLine(warning.word, 60)}” `;
  return word + warningText(warning);
}
