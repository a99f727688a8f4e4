/** The blocks of a pipeline in reading order, one row each: a branch before its own, and a row that closes it. */
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';

export interface BlockRow {
  readonly kind: 'block';
  /** Of the block in the document. */
  readonly pointer: string;
  readonly value: ExactValue;
  /** How many branches are around it. */
  readonly depth: number;
  /** Its list, its place in it, and how many items that has. */
  readonly list: string;
  readonly index: number;
  readonly size: number;
  /** All blocks of its list. */
  readonly siblings: readonly ExactValue[];
  /** Its place in reading order among all blocks, from 0, as a preview counts. */
  readonly position: number;
}

export interface EndRow {
  readonly kind: 'end';
  /** Of the branch. */
  readonly pointer: string;
  readonly value: ExactValue;
  readonly depth: number;
}

export type RuleRow = BlockRow | EndRow;

export function ruleRows(document: ExactValue): readonly RuleRow[] {
  const rows: RuleRow[] = [];
  let position = 0;
  const addList = (blocks: readonly ExactValue[], list: string, depth: number): void => {
    for (const [index, value] of blocks.entries()) {
      const pointer = `${list}/${index}`;
      const size = blocks.length;
      const place = { list, index, size, siblings: blocks, position };
      rows.push({ kind: 'block', pointer, value, depth, ...place });
      position += 1;
      const inner = innerBlocks(value);
      if (!inner) continue;
      addList(inner, `${pointer}/config/blocks`, depth + 1);
      rows.push({ kind: 'end', pointer, value, depth: depth + 1 });
    }
  };
  const blocks = isExactObject(document) ? document['blocks'] : undefined;
  if (Array.isArray(blocks)) addList(blocks, '/blocks', 0);
  return rows;
}

/** The blocks of a branch. */
export function innerBlocks(block: ExactValue): readonly ExactValue[] | undefined {
  if (!isExactObject(block) || block['type'] !== 'branch') return undefined;
  const { config } = block;
  const blocks = isExactObject(config) ? config['blocks'] : undefined;
  return Array.isArray(blocks) ? blocks : undefined;
}

export const blockRows = (rows: readonly RuleRow[]): readonly BlockRow[] =>
  rows.filter((row) => row.kind === 'block');

/** Whether no request gets past a block. */
export function decidesAll(block: ExactValue): boolean {
  if (!isExactObject(block)) return false;
  return block['type'] === 'always' && block['enabled'] !== false;
}

/** Whether a rule of this type is anywhere in the document, on or off. */
export const hasBlockOf = (document: ExactValue, type: string): boolean =>
  blockRows(ruleRows(document)).some(({ value }) => isExactObject(value) && value['type'] === type);
