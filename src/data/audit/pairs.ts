/**
 * Which pairs of characters occur in which events, in blocks of some events each. Searches use it for text of which trigrams know
 * nothing: two characters, signs alone, letters beyond ASCII.
 */
import { COLUMN_SEPARATOR } from '../../domain/audit/filters.ts';
import { createYielder } from '../../platform/event-loop.ts';
import type { Trx } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

/** Entries of the chain in a block. It is written once all of them are indexed. */
export const BLOCK = 64;

interface Block {
  readonly organizationId: string;
  readonly block: number;
  readonly sequences: readonly number[];
  readonly words: string;
}

/** Writes the next blocks of chains that are locked for indexing, and returns how many. */
export async function writeNextBlocks(
  trx: Trx,
  { locked, limit }: { readonly locked: readonly string[]; readonly limit: number },
): Promise<number> {
  const blocks = await queryRows<Block>(
    trx,
    `select d.organization_id, d.block, r.sequences, r.words
       from (select i.organization_id, b.block
               from audit_indexed i
               cross join lateral (select coalesce(max(block) + 1, 0) as next from audit_pairs where organization_id = i.organization_id) n
               cross join lateral generate_series(n.next, i.position / ${BLOCK} - 1) as b (block)
              where i.organization_id = any (cast(:locked as uuid[]))
              order by i.organization_id, b.block limit :limit) d
       cross join lateral (
         select array_agg(x.sequence) as sequences, string_agg(x.words, :separator) as words
           from (select event_sequence from audit_chain
                  where organization_id = d.organization_id and position > d.block * ${BLOCK} and position <= (d.block + 1) * ${BLOCK}
                  order by position limit ${BLOCK}) c
           join audit_index x on x.sequence = c.event_sequence) r
      where r.sequences is not null`,
    { locked, limit, separator: COLUMN_SEPARATOR },
  );
  const yieldIfDue = createYielder();
  for (const { words, ...block } of blocks) {
    await trx.raw(
      `insert into audit_pairs (organization_id, block, sequences, pairs)
       values (:organizationId, :block, cast(:sequences as bigint[]), cast(:pairs as text[]))`,
      { ...block, pairs: pairsOf(words) },
    );
    await yieldIfDue();
  }
  return blocks.length;
}

function pairsOf(words: string): string[] {
  const pairs = new Set<string>();
  let before = COLUMN_SEPARATOR;
  for (const character of words) {
    if (before !== COLUMN_SEPARATOR && character !== COLUMN_SEPARATOR)
      pairs.add(before + character);
    before = character;
  }
  return [...pairs];
}

/**
 * Where trigrams of a text say something: three letters or digits, or two next to a sign, where a word begins or ends. In some
 * collations of a database, only ASCII has letters.
 */
const TRIGRAMS = /[a-z0-9]{3}|[a-z0-9]{2}[ -/:-@[-`{-~]|[ -/:-@[-`{-~][a-z0-9]{2}/i;

export const needsPairs = (q: string | undefined): boolean => q !== undefined && !TRIGRAMS.test(q);

/** SQL: the rows of `audit_index` that may contain `:q`. */
export const PAIRED = `(
  select x.* from (
    select unnest(p.sequences) as sequence from audit_pairs p
     where p.organization_id = :organizationId and p.block < :pairedTo and p.pairs @> (
       select coalesce(array_agg(substr(t.q, i, 2)), '{}')
         from (select lower(cast(:q as text) collate "pg_c_utf8") as q) t, generate_series(1, length(t.q) - 1) i)
    union all
    select c.event_sequence from audit_chain c
     where c.organization_id = :organizationId and c.position > cast(:pairedTo as bigint) * ${BLOCK}) s
  join audit_index x on x.sequence = s.sequence)`;
