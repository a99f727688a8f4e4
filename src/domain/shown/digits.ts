/**
 * Digits that a reader may take for others: those of two systems in one number, and those of another script than the letters
 * around them. Arabic text with Arabic digits has none.
 */
import type { MixedWord } from './mixed-scripts.ts';

/** Where the digits of a system begin, its name, and the letters that its readers write. */
const SYSTEMS: ReadonlyMap<number, { readonly name: string; readonly script: string }> = new Map(
  (
    [
      [0x0660, 'Arabic', 'Arabic'],
      [0x06f0, 'Arabic', 'Arabic'],
      [0x07c0, 'N’Ko', 'Nko'],
      [0x0966, 'Devanagari', 'Devanagari'],
      [0x09e6, 'Bengali', 'Bengali'],
      [0x0a66, 'Gurmukhi', 'Gurmukhi'],
      [0x0ae6, 'Gujarati', 'Gujarati'],
      [0x0b66, 'Odia', 'Oriya'],
      [0x0be6, 'Tamil', 'Tamil'],
      [0x0c66, 'Telugu', 'Telugu'],
      [0x0ce6, 'Kannada', 'Kannada'],
      [0x0d66, 'Malayalam', 'Malayalam'],
      [0x0e50, 'Thai', 'Thai'],
      [0x0ed0, 'Lao', 'Lao'],
      [0x0f20, 'Tibetan', 'Tibetan'],
      [0x1040, 'Burmese', 'Myanmar'],
      [0x17e0, 'Khmer', 'Khmer'],
      [0x1810, 'Mongolian', 'Mongolian'],
      [0xff10, 'full-width', ''],
    ] as const
  ).map(([zero, name, script]) => [zero, { name, script }]),
);
const FULL_WIDTH_LETTERS = String.raw`\uff21-\uff5a\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}`;

interface System {
  readonly name: string;
  /** Undefined where no one writes text with them. */
  readonly letters: RegExp | undefined;
}

const WESTERN: System = { name: 'Western', letters: undefined };
const UNUSUAL: System = { name: 'unusual', letters: undefined };

/** Those for formulas are letters that look like others. */
const FORMULA = String.raw`\u{1d7ce}-\u{1d7ff}`;
const FOREIGN = String.raw`(?![0-9${FORMULA}])\p{Nd}`;
const HAS_FOREIGN = new RegExp(FOREIGN, 'u');
const RUNS = new RegExp(`(?:${FOREIGN})+`, 'gu');
/** Digits, with one sign between two of them. */
const NUMBERS = new RegExp(
  String.raw`(?:(?![${FORMULA}])\p{Nd}|(?<=\p{Nd})[.,:/'’_\u066b\u066c\u060c-](?=\p{Nd}))+`,
  'gu',
);
const LETTER = /\p{L}/u;

const known = new Map<number, System>();

function systemOf(digit: string): System {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return WESTERN;
  const zero = zeroOf(code);
  const found = known.get(zero);
  if (found) return found;
  const named = SYSTEMS.get(zero);
  const letters =
    named && (named.script ? String.raw`\p{Script=${named.script}}` : FULL_WIDTH_LETTERS);
  const system: System = named
    ? { name: named.name, letters: new RegExp(`[${letters}]`, 'u') }
    : UNUSUAL;
  known.set(zero, system);
  return system;
}

/** Ten digits follow each other in every system. */
const zeroOf = (code: number): number =>
  [...SYSTEMS.keys()].find((zero) => code >= zero && code < zero + 10) ?? 0;

/** The numbers of a text with such digits, each once. */
export function foreignNumbers(text: string): MixedWord[] {
  if (!HAS_FOREIGN.test(text)) return [];
  const found = new Map<string, MixedWord>();
  let from = 0;
  let before: string | undefined;
  for (const { 0: number, index } of text.matchAll(NUMBERS)) {
    before = lastLetter(text, from, index) ?? before;
    from = index + number.length;
    if (!HAS_FOREIGN.test(number) || found.has(number)) continue;
    const systems = [...new Set([...number].filter((sign) => /\p{Nd}/u.test(sign)).map(systemOf))];
    const beside = [text.charAt(index - 1), text.charAt(from)];
    const around = before ?? LETTER.exec(text)?.[0];
    if (systems.length > 1 || beside.some(isLatin) || !isOwn(systems[0], around))
      found.set(number, { word: number, scripts: systems.map(({ name }) => name) });
  }
  return [...found.values()];
}

const isLatin = (sign: string): boolean => /[A-Za-z]/.test(sign);

/** Whether readers of the letter write with such digits. */
const isOwn = (system: System | undefined, letter: string | undefined): boolean =>
  letter !== undefined && system?.letters?.test(letter) === true;

function lastLetter(text: string, from: number, to: number): string | undefined {
  for (let at = to - 1; at >= from; at -= 1) {
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (LETTER.test(letter)) return letter;
  }
  return undefined;
}

export interface DigitPiece {
  readonly text: string;
  /** The name of the system, of a run of digits that is marked. */
  readonly system: string | undefined;
}

/** The whole text, with each marked run of foreign digits apart. */
export function digitPieces(text: string, isMarked: (run: string) => boolean): DigitPiece[] {
  const pieces: DigitPiece[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (!isMarked(run)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), system: undefined });
    pieces.push({ text: run, system: systemOf(run).name });
    from = index + run.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), system: undefined });
  return pieces;
}

/** The runs of foreign digits in a number. */
export const digitRuns = (number: string): string[] => number.match(RUNS) ?? [];
