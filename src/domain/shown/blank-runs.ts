/** Long runs of blanks and of empty lines. Drawn as they are, they push what follows out of view. */

const RUN = /[\t\n\p{Zs}]{10,}/gu;
const MOST_BLANKS = 20;
/** Code that is deeply nested begins far to the right. */
const MOST_INDENTATION = 40;
const MOST_BREAKS = 9;

export interface BlankPiece {
  readonly text: string;
  /** Of a run of blanks on one line: how many they are. */
  readonly blanks: number;
  /** Of a run of empty lines: how many line breaks it has. */
  readonly breaks: number;
}

/** The whole text, with each long run apart. */
export function blankPieces(text: string): BlankPiece[] {
  const pieces: BlankPiece[] = [];
  let from = 0;
  const addTo = (end: number, count: Partial<BlankPiece> = {}): void => {
    if (end > from) pieces.push({ text: text.slice(from, end), blanks: 0, breaks: 0, ...count });
    from = end;
  };
  const addBlanks = (start: number, end: number): void => {
    const isFirst = start === 0 || text.charAt(start - 1) === '\n';
    if (end - start <= (isFirst ? MOST_INDENTATION : MOST_BLANKS)) return;
    addTo(start);
    addTo(end, { blanks: end - start });
  };
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const lines = run.split('\n');
    const lastBreak = index + run.lastIndexOf('\n') + 1;
    if (lines.length - 1 > MOST_BREAKS) {
      addTo(index);
      addTo(lastBreak, { breaks: lines.length - 1 });
      addBlanks(lastBreak, index + run.length);
      continue;
    }
    let start = index;
    for (const line of lines) {
      addBlanks(start, start + line.length);
      start += line.length + 1;
    }
  }
  addTo(text.length);
  return pieces;
}
