/**
 * Remembers secrets and where each may occur, and looks for them, in any spelling, in everything
 * that is stored or sent.
 */
import { createHash } from 'node:crypto';
import { Secret } from 'otpauth';
import type { Db } from '../../src/platform/postgres.ts';

export interface KnownSecret {
  readonly name: string;
  readonly text: string;
  /** The index of the only response that contains it. */
  readonly shownIn?: number | undefined;
}

/** Columns for hashes: the only ones where the hash of a secret may occur. */
const HASH_COLUMNS = new Set(['token_hash', 'code_hash', 'password_hash', 'state_hash']);

const spelled = (bytes: Buffer) => [
  bytes.toString('hex'),
  bytes.toString('base64').replace(/=+$/, ''),
  bytes.toString('base64url'),
];

/** The random part of a token, without its checksum. Any other secret is random as a whole. */
export function randomPart(text: string): string {
  return /^wh[a-z]_[0-9a-f-]{36}_(.{43})/.exec(text)?.[1] ?? text;
}

/** Every spelling of the secret itself. */
export function spellings(secret: string): readonly string[] {
  const text = randomPart(secret);
  const joined = text.replaceAll('-', '');
  const decoded = [
    ...(/^[A-Za-z0-9_-]{32,}$/.test(text) ? [Buffer.from(text, 'base64url')] : []),
    ...(/^[A-Z2-7]{32,}$/.test(text) ? [Buffer.from(Secret.fromBase32(text).bytes)] : []),
    ...(/^[A-Za-z0-9+/]{40,}=+$/.test(text) ? [Buffer.from(text, 'base64')] : []),
  ];
  const spelledOut = [
    text,
    text.toLowerCase(),
    joined,
    joined.toLowerCase(),
    encodeURIComponent(text),
    ...spelled(Buffer.from(text)),
  ];
  return [...new Set([...spelledOut, ...decoded.flatMap(spelled)])];
}

/** Every spelling of its SHA-256. */
export function hashSpellings(secret: string): readonly string[] {
  const text = randomPart(secret);
  const hashed = [secret, text, text.replaceAll('-', ''), text.replaceAll('-', '').toLowerCase()];
  return [
    ...new Set(hashed.flatMap((each) => spelled(createHash('sha256').update(each).digest()))),
  ];
}

/**
 * The spelling found in the text. A spelling of a few digits counts only as a whole word, because
 * an id may contain it by chance.
 */
export function foundIn(text: string, candidates: readonly string[]): string | undefined {
  return candidates.find((candidate) =>
    candidate.length > 8
      ? text.includes(candidate)
      : new RegExp(`(?<![0-9A-Za-z])${candidate}(?![0-9A-Za-z])`).test(text),
  );
}

export interface Column {
  /** `table.column` */
  readonly name: string;
  readonly forHashes: boolean;
  /** Every value, as text; bytes in hex. */
  readonly text: string;
}

/** Every column of every table. */
export async function everyColumn(db: Db): Promise<readonly Column[]> {
  const { rows } = await db.raw<{ rows: { table: string; columns: string[] }[] }>(
    `select c.table_name as table, array_agg(cast(c.column_name as text) order by 1) as columns
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' group by 1 order by 1`,
  );
  const found: Column[] = [];
  for (const { table, columns } of rows) {
    // In a separate order: an update moves its row.
    const texts = columns.map(
      () => `string_agg(cast(?? as text), E'\\n' order by cast(?? as text)) as ??`,
    );
    const values = await db.raw<{ rows: [Readonly<Record<string, string | null>>] }>(
      `select ${texts.join(', ')} from ??`,
      [...columns.flatMap((column) => [column, column, column]), table],
    );
    for (const column of columns)
      found.push({
        name: `${table}.${column}`,
        forHashes: HASH_COLUMNS.has(column),
        text: values.rows[0][column] ?? '',
      });
  }
  return found;
}
