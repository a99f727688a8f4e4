/** Finds the addresses in a pasted list, and names what is left out and why. Pure. */

export interface Invitee {
  readonly email: string;
  /** What stands before the address. It is not sent: people choose their names. */
  readonly name?: string;
}

export type LeftOutReason = 'invalid' | 'repeated' | 'member' | 'invited' | 'tooMany';

export interface LeftOut {
  /** As it was pasted. */
  readonly text: string;
  readonly reason: LeftOutReason;
}

export interface Invitees {
  readonly found: readonly Invitee[];
  readonly leftOut: readonly LeftOut[];
}

/** Addresses in lower case. */
export interface Known {
  readonly members: ReadonlySet<string>;
  readonly invited: ReadonlySet<string>;
}

/** One batch. At one a second, it takes some minutes. */
export const MOST_INVITEES = 200;

/** The service has the last word. This finds what is no address at all. */
const ADDRESS = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\.]+(?:\.[^\s@<>()[\],;:"\\.]+)+$/u;
const LONGEST = 254;

/** Lines, commas and semicolons divide, but not inside quotes. */
const DIVIDED = /(?:"[^"\n]*"|[^",;\n]|"(?![^"\n]*"))+/gu;
const IN_BRACKETS = /^(.*?)<([^<>]*)>\s*\.?$/u;

const isAddress = (text: string): boolean => text.length <= LONGEST && ADDRESS.test(text);

const withoutQuotes = (text: string): string =>
  text
    .trim()
    .replace(/^["'“”]+/u, '')
    .replace(/["'“”]+$/u, '')
    .trim();

const addressIn = (text: string): string =>
  withoutQuotes(text)
    .replace(/^mailto:/iu, '')
    .replace(/[.]+$/u, '');

interface Piece extends Partial<Invitee> {
  readonly text: string;
}

export function readInvitees(pasted: string, { members, invited }: Known): Invitees {
  const found: Invitee[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  for (const { text, email, name } of piecesOf(pasted)) {
    const key = (email ?? '').toLowerCase();
    const reason = reasonFor(key, { seen, members, invited, count: found.length });
    if (reason !== undefined) leftOut.push({ text, reason });
    else found.push({ email: email ?? '', ...(name !== undefined && { name }) });
    seen.add(key);
  }
  return { found, leftOut };
}

interface SoFar extends Known {
  readonly seen: ReadonlySet<string>;
  readonly count: number;
}

function reasonFor(
  key: string,
  { seen, members, invited, count }: SoFar,
): LeftOutReason | undefined {
  if (key === '') return 'invalid';
  if (seen.has(key)) return 'repeated';
  if (members.has(key)) return 'member';
  if (invited.has(key)) return 'invited';
  return count >= MOST_INVITEES ? 'tooMany' : undefined;
}

const piecesOf = (pasted: string): readonly Piece[] =>
  pasted.split(/\r\n?|\n/u).flatMap((line) => {
    const parts = (line.match(DIVIDED) ?? []).map((each) => each.trim()).filter(Boolean);
    return joinNames(parts).flatMap(piecesIn);
  });

/** `Reyes, Ada <ada@example.com>`: the comma is a part of the name. */
function joinNames(parts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let before = '';
  for (const part of parts) {
    const whole = before === '' ? part : `${before}, ${part}`;
    if (!part.includes('@')) before = whole;
    else {
      const takesName = before === '' || part.includes('<');
      joined.push(...(takesName ? [whole] : [before, part]));
      before = '';
    }
  }
  return before === '' ? joined : [...joined, before];
}

function piecesIn(text: string): readonly Piece[] {
  const bracketed = IN_BRACKETS.exec(text);
  if (bracketed) return [pieceOf(text, addressIn(bracketed[2] ?? ''), bracketed[1])];
  const words = text.split(/\s+/u);
  const addresses = words.map(addressIn).filter((word) => word.includes('@'));
  if (addresses.length > 1) return addresses.map((each) => pieceOf(each, each));
  const [only = ''] = addresses;
  return [pieceOf(text, only, words.filter((word) => !word.includes('@')).join(' '))];
}

function pieceOf(text: string, address: string, name = ''): Piece {
  const trimmed = withoutQuotes(name);
  if (!isAddress(address)) return { text };
  return { text, email: address, ...(trimmed !== '' && { name: trimmed }) };
}
