/** One line of a request's arguments for lists: what a reviewer reads before they open it. Never the basis of a decision. */
import { readBeginning, unquoted, type SourceValue } from '../../platform/json/source-values.ts';
import { titleText } from '../shown/call-text.ts';
import type { Hidden } from '../shown/hidden.ts';
import { shownCall, type HowToShow } from '../shown/shown-call.ts';
import { inlineText, ownLength, shortText } from '../shown/value-text.ts';
import { shownLine } from '../shown-text.ts';

/** How many characters of the arguments an excerpt is made of. What follows them is not read. */
export const EXCERPT_SOURCE_CHARACTERS = 2_000;

const EXCERPT_CHARACTERS = 200;
/** Of one value beside others. */
const VALUE_ROOM = { most: 80, lengthOf: ownLength };
const BETWEEN = ' · ';

/**
 * At most 200 characters of arguments whose text may be cut. With a presentation: its title, then its primary fields that the
 * title does not have. Where these have no value, and without a presentation, the first arguments by their names.
 */
export function excerptOf(text: string, how: HowToShow): string {
  const whole = readBeginning(text);
  return shownLine(
    whole ? lineOf(whole, how) : (how.presentation?.title ?? ''),
    EXCERPT_CHARACTERS,
  );
}

function lineOf(whole: SourceValue, how: HowToShow): string {
  const { presented, hidden } = shownCall({ whole }, how);
  if (!presented) return firstArguments(whole, hidden);
  const { title, fields } = presented;
  const inTitle = new Set(
    title.flatMap((part) => (typeof part === 'object' && 'offset' in part ? [part.offset] : [])),
  );
  const primary = fields.filter(
    ({ field, value, isHidden }) =>
      field.role === 'primary' && !isHidden && !inTitle.has(value.offset),
  );
  const isEmpty = primary.length === 0 && title.every((part) => typeof part === 'string');
  return [
    titleText(title, hidden),
    ...primary.map(
      ({ field, value }) => `${field.label}: ${inlineText(value, hidden, VALUE_ROOM)}`,
    ),
    ...(isEmpty ? [firstArguments(whole, hidden)] : []),
  ].join(BETWEEN);
}

function firstArguments(whole: SourceValue, hidden: Hidden): string {
  const members: string[] = [];
  let length = 0;
  for (const { keySource = '""', value } of whole.children()) {
    const name = shortText(unquoted(keySource), VALUE_ROOM).text;
    const member = `${name}: ${inlineText(value, hidden, VALUE_ROOM)}`;
    members.push(member);
    length += member.length;
    if (length > EXCERPT_CHARACTERS) break;
  }
  return members.join(BETWEEN);
}
