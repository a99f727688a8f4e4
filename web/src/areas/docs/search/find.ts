/** Finds the sections of guides that have all words of a search, the best first. */
import type { Section } from '../guide-tree.ts';

export interface Searched extends Section {
  readonly guide: string;
  /** Of the page. */
  readonly title: string;
}

export interface Found extends Searched {
  /** A part of the text around the first word. */
  readonly excerpt: string;
}

export const wordsOf = (query: string): readonly string[] => [
  ...new Set(query.toLowerCase().split(/\s+/).filter(Boolean)),
];

export function findSections(query: string, sections: readonly Searched[]): readonly Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, words) }));
}

/** What a word counts for where it is found. A page whose title has it comes first, then a heading, then text. */
const WEIGHTS = { title: 12, heading: 8, text: 1 };
/** More of them say no more. */
const MOST_COUNTED_PLACES = 4;

function scoreOf({ anchor, title, heading, text }: Searched, words: readonly string[]): number {
  const places = [
    // The page as a whole, once.
    { value: title.toLowerCase(), weight: anchor === '' ? WEIGHTS.title : 1 },
    { value: heading.toLowerCase(), weight: WEIGHTS.heading },
    { value: text.toLowerCase(), weight: WEIGHTS.text },
  ];
  let score = 0;
  for (const word of words) {
    const own = places.map(({ value, weight }) => weight * timesIn(value, word));
    const most = own.reduce((sum, each) => sum + each, 0);
    if (most === 0) return 0;
    score += most;
  }
  return score;
}

/** At the beginning of a word it counts twice. */
function timesIn(text: string, word: string): number {
  let times = 0;
  let at = text.indexOf(word);
  for (let seen = 0; at >= 0 && seen < MOST_COUNTED_PLACES; seen += 1) {
    times += at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 2 : 1;
    at = text.indexOf(word, at + word.length);
  }
  return times;
}

const BEFORE = 60;
const LONGEST = 200;

/** It begins and ends between words. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const near = Number.isFinite(first) ? Math.max(0, first - BEFORE) : 0;
  const from = near === 0 ? 0 : text.indexOf(' ', near) + 1;
  if (text.length - from <= LONGEST) return `${from > 0 ? '… ' : ''}${text.slice(from)}`;
  const end = text.lastIndexOf(' ', from + LONGEST);
  return `${from > 0 ? '… ' : ''}${text.slice(from, end)} …`;
}

/** A text in pieces, of which those at odd places are words of the search. */
export function marked(text: string, words: readonly string[]): readonly string[] {
  if (words.length === 0) return [text];
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  const pattern = longestFirst.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return text.split(new RegExp(`(${pattern.join('|')})`, 'gi'));
}
