/** One line of a request's arguments for lists: what a reviewer reads before they open it. Never the basis of a decision. */
import { unquoted, type SourceValue } from '../../platform/json/source-values.ts';
import { titleText } from '../shown/call-text.ts';
import type { Hidden } from '../shown/hidden.ts';
import { countText } from '../shown/text-pieces.ts';
import { shownCall, type HowToShow } from '../shown/shown-call.ts';
import { readEnds, type ExcerptSource } from './excerpt-ends.ts';
import {
  inlineText,
  ownLength,
  shortText,
  type LeftOut,
  type ValueRoom,
} from '../shown/value-text.ts';
import { shownLine } from '../shown-text.ts';

/** Of how many characters an excerpt is made: most calls have fewer. Of longer ones, also the last ones are looked at. */
export const EXCERPT_START_CHARACTERS = 8_000;
export const EXCERPT_END_CHARACTERS = 1_000;

const EXCERPT_CHARACTERS = 200;
/** Of one value next to others. */
const VALUE_ROOM = { most: 80, lengthOf: ownLength };
const BETWEEN = ' · ';

/**
 * At most 200 characters of arguments. Of a value that is not read to its end, the first and the last part. With a presentation: its title, then its primary fields that the
 * title does not have. Where these have no value, and without a presentation, the first arguments by their names.
 */
export function excerptOf(source: ExcerptSource, how: HowToShow): Excerpt {
  const { whole, leftOut } = readEnds(source);
  const rest =
    leftOut || source.characters <= EXCERPT_START_CHARACTERS
      ? ''
      : ` (${countText(source.characters)} characters)`;
  const { title, line } = whole
    ? lineOf(whole, { how, leftOut })
    : { title: how.presentation?.title, line: how.presentation?.title ?? '' };
  const shown = shownLine(line, EXCERPT_CHARACTERS - rest.length - 2);
  return {
    ...(title !== undefined && title !== '' && { title }),
    text: rest === '' || shown.endsWith('…') ? `${shown}${rest}` : `${shown} …${rest}`,
  };
}

export interface Excerpt {
  /** What a presentation calls the call. The text begins with it. */
  readonly title?: string;
  readonly text: string;
}

interface TitledLine {
  readonly title: string | undefined;
  readonly line: string;
}

interface Line {
  readonly how: HowToShow;
  readonly leftOut: LeftOut | undefined;
}

function lineOf(whole: SourceValue, { how, leftOut }: Line): TitledLine {
  const { presented, hidden } = shownCall({ whole }, how);
  const room = { ...VALUE_ROOM, leftOut };
  if (!presented) return { title: undefined, line: firstArguments(whole, hidden, room) };
  const { title, fields } = presented;
  const inTitle = new Set(
    title.flatMap((part) => (typeof part === 'object' && 'offset' in part ? [part.offset] : [])),
  );
  const primary = fields.filter(
    ({ field, value, isHidden }) =>
      field.role === 'primary' && !isHidden && !inTitle.has(value.offset),
  );
  const isEmpty = primary.length === 0 && title.every((part) => typeof part === 'string');
  const filled = titleText(title, hidden, leftOut);
  const line = [
    filled,
    ...primary.map(({ field, value }) => `${field.label}: ${inlineText(value, hidden, room)}`),
    ...(isEmpty ? [firstArguments(whole, hidden, room)] : []),
  ].join(BETWEEN);
  return { title: filled, line };
}

function firstArguments(whole: SourceValue, hidden: Hidden, room: ValueRoom): string {
  const members: string[] = [];
  let length = 0;
  for (const { keySource = '""', value } of whole.children()) {
    const name = shortText(unquoted(keySource), VALUE_ROOM).text;
    const member = `${name}: ${inlineText(value, hidden, room)}`;
    members.push(member);
    length += member.length;
    if (length > EXCERPT_CHARACTERS) break;
  }
  return members.join(BETWEEN);
}
