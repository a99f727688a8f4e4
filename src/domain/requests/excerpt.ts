/** One line of a request's arguments for lists: what a reviewer reads before they open it. Never the basis of a decision. */
import { pointerToken } from '../../platform/json/exact-json.ts';
import { PLACEHOLDER, type PresentationEntry } from '../agents/tool-presentations.ts';
import { shownLine } from '../shown-text.ts';

/** How many characters of the arguments an excerpt is made of. What follows them is not read. */
export const EXCERPT_SOURCE_CHARACTERS = 2_000;

const EXCERPT_CHARACTERS = 200;
/** Of one value beside others. */
const VALUE_CHARACTERS = 80;
const HIDDEN = '•••';
const BETWEEN = ' · ';
/** The inside of a JSON string, without half an escape at its end if it is cut. */
const WHOLE_CHARACTERS = /^(?:[^"\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*/;

/** The arguments as their source text, which may be cut at its end. */
export interface ReadArguments {
  /** The text of the value at a JSON pointer; undefined where there is none. */
  readonly valueAt: (pointer: string) => string | undefined;
  /** Names, and the texts of values. */
  readonly members: () => Iterable<readonly [name: string, value: string]>;
}

/**
 * At most 200 characters. With a presentation: its title, then its primary fields that the title
 * does not have. Where these have no value, and without a presentation, the first arguments by
 * their names. Sensitive values are hidden.
 */
export function excerptOf(
  given: ReadArguments,
  presentation: Pick<PresentationEntry, 'title' | 'fields'> | undefined,
): string {
  const line = presentation
    ? presentedLine(given, presentation)
    : firstArguments(given, () => false);
  return shownLine(line, EXCERPT_CHARACTERS);
}

function presentedLine(
  given: ReadArguments,
  { title, fields }: Pick<PresentationEntry, 'title' | 'fields'>,
): string {
  const sensitive = fields.flatMap(({ role, path, before, after }) =>
    role === 'sensitive' ? [path, before ?? path, after ?? path] : [],
  );
  const isHidden = (pointer: string) => sensitive.some((each) => overlap(each, pointer));
  const inTitle = new Set<string>();
  let isEmpty = true;
  const shown = (pointer: string): string => {
    const value = given.valueAt(pointer);
    if (value === undefined) return '';
    isEmpty = false;
    return isHidden(pointer) ? HIDDEN : plain(value);
  };
  const head = title.replaceAll(PLACEHOLDER, (braces: string, pointer: string) => {
    if (pointer === '') return braces;
    inTitle.add(pointer);
    return shown(pointer);
  });
  const primary = fields
    .filter(({ role, path }) => role === 'primary' && !inTitle.has(path) && !isHidden(path))
    .flatMap(({ path, label }) => {
      const value = shown(path);
      return value === '' ? [] : [`${label}: ${clipped(value)}`];
    });
  return [head, ...primary, ...(isEmpty ? [firstArguments(given, isHidden)] : [])].join(BETWEEN);
}

/** Whether one value is the other, or a part of it. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function firstArguments(given: ReadArguments, isHidden: (pointer: string) => boolean): string {
  const members: string[] = [];
  let length = 0;
  for (const [name, value] of given.members()) {
    if (value === '') break;
    const shown = isHidden(`/${pointerToken(name)}`) ? HIDDEN : clipped(plain(value));
    const member = `${clipped(name)}: ${shown}`;
    members.push(member);
    length += member.length;
    if (length > EXCERPT_CHARACTERS) break;
  }
  return members.join(BETWEEN);
}

/** A string without its quotes and escapes; any other value as it was sent. */
function plain(value: string): string {
  if (!value.startsWith('"')) return value;
  const [whole = ''] = WHOLE_CHARACTERS.exec(value.slice(1)) ?? [];
  return JSON.parse(`"${whole}"`) as string;
}

function clipped(value: string): string {
  if (value.length <= VALUE_CHARACTERS) return value;
  return `${value.slice(0, VALUE_CHARACTERS - 1).replace(/\p{Cs}$/u, '')}…`;
}
