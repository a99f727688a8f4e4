/**
 * The lines in which a value is drawn. One pass builds lists of numbers; an object is made only for a line that is on the
 * screen, so that a document of a megabyte opens at once.
 */
import { NOTHING_HIDDEN, type Hidden } from '../../../../../src/domain/shown/hidden.ts';
import { NONE, type Tree } from '../../../../../src/platform/json/source-tree.ts';
import { SourceValue } from '../../../../../src/platform/json/source-values.ts';

/** `numbers`: some numbers of a list. `records`: some objects of a list that all have the same keys. */
type RowPart = 'value' | 'open' | 'close' | 'folded' | 'hidden' | 'numbers' | 'records';

export interface JsonRow {
  readonly depth: number;
  /** With its quotes; absent for items and for the outermost value. */
  readonly keySource: string | undefined;
  readonly part: RowPart;
  readonly value: SourceValue;
  /** Of numbers and records: the first one's place in the list, from 1, and all of the line. */
  readonly first: number;
  readonly items: readonly SourceValue[];
}

export interface Outline {
  readonly tree: Tree;
  /** The values by their numbers in the tree, and what a line draws of them. */
  readonly values: readonly number[];
  readonly parts: readonly RowPart[];
  readonly depths: readonly number[];
}

interface OutlineOptions {
  /** What is drawn only when a reader asks. */
  readonly hidden?: Hidden;
  /** Where the containers begin whose inside is not drawn. */
  readonly folded?: ReadonlySet<number>;
  /** Objects with more members are not drawn as rows of a table. */
  readonly mostColumns?: number;
}

/** Deeper rows would have no room left. */
const MOST_STEPS = 20;

/** How far a row is indented. Where the indentation ends, also the depth, which is then drawn in front of it. */
export const indentOf = (depth: number): { readonly steps: number; readonly level?: number } =>
  depth > MOST_STEPS ? { steps: MOST_STEPS, level: depth } : { steps: depth };

const NUMBERS_A_ROW = 10;
const RECORDS_A_ROW = 15;
/** A short list is read better line by line. */
const LEAST_NUMBERS = 6;
const MOST_COLUMNS = 6;
/** A longer value needs the width of a line. */
const MOST_CELL = 120;

interface Building {
  readonly outline: {
    readonly tree: Tree;
    readonly values: number[];
    readonly parts: RowPart[];
    readonly depths: number[];
  };
  readonly options: Required<OutlineOptions>;
  /** The containers whose end is still to come, outermost first. */
  readonly open: number[];
}

export function outlineOf(outermost: SourceValue, options: OutlineOptions = {}): Outline {
  const { tree, node: root } = outermost;
  const building: Building = {
    outline: { tree, values: [], parts: [], depths: [] },
    options: {
      hidden: options.hidden ?? NOTHING_HIDDEN,
      folded: options.folded ?? new Set(),
      mostColumns: options.mostColumns ?? MOST_COLUMNS,
    },
    open: [],
  };
  for (let at = root; at !== NONE;) {
    if (addValue(building, at)) {
      at = tree.firsts[at] ?? NONE;
      continue;
    }
    while (at !== root && tree.nexts[at] === NONE) {
      at = building.open.pop() ?? root;
      add(building, at, 'close');
    }
    at = at === root ? NONE : (tree.nexts[at] ?? NONE);
  }
  return building.outline;
}

function add({ outline, open }: Building, at: number, part: RowPart): void {
  outline.values.push(at);
  outline.parts.push(part);
  outline.depths.push(open.length);
}

/** Whether its children come next. */
function addValue(building: Building, at: number): boolean {
  const { outline, options, open } = building;
  const { tree } = outline;
  const start = tree.starts[at] ?? 0;
  if (options.hidden.values.has(start)) add(building, at, 'hidden');
  else if (tree.firsts[at] === NONE) add(building, at, 'value');
  else if (options.folded.has(start)) add(building, at, 'folded');
  else {
    add(building, at, 'open');
    open.push(at);
    if (isNumbers(tree, at)) addItems(building, at, { part: 'numbers', each: NUMBERS_A_ROW });
    else if (isRecords(building, at))
      addItems(building, at, { part: 'records', each: RECORDS_A_ROW });
    else return true;
    open.pop();
    add(building, at, 'close');
  }
  return false;
}

function addItems(
  building: Building,
  list: number,
  { part, each }: { readonly part: RowPart; readonly each: number },
): void {
  for (const item of childrenOf(building.outline.tree, list))
    if ((building.outline.tree.positions[item] ?? 0) % each === 0) add(building, item, part);
}

function* childrenOf({ firsts, nexts }: Tree, at: number): Generator<number> {
  for (let child = firsts[at] ?? NONE; child !== NONE; child = nexts[child] ?? NONE) yield child;
}

function isNumbers(tree: Tree, list: number): boolean {
  if (tree.kinds[list] !== 'array' || (tree.sizes[list] ?? 0) < LEAST_NUMBERS) return false;
  for (const item of childrenOf(tree, list)) if (tree.kinds[item] !== 'number') return false;
  return true;
}

/** At least two objects with the very same keys in the same order, and nothing in them that needs more than a cell. */
function isRecords({ outline: { tree }, options }: Building, list: number): boolean {
  if (tree.kinds[list] !== 'array' || (tree.sizes[list] ?? 0) < 2) return false;
  const columns = keysOf(tree, tree.firsts[list] ?? NONE);
  if (columns.length === 0 || columns.length > options.mostColumns) return false;
  if (new Set(columns).size < columns.length) return false;
  for (const item of childrenOf(tree, list)) {
    if (tree.kinds[item] !== 'object' || tree.sizes[item] !== columns.length) return false;
    if (options.hidden.values.has(tree.starts[item] ?? 0)) return false;
    let column = 0;
    for (const cell of childrenOf(tree, item)) {
      if (keySourceOf(tree, cell) !== columns[column] || !isCell(tree, cell)) return false;
      column += 1;
    }
  }
  return true;
}

const isCell = ({ firsts, starts, ends }: Tree, at: number): boolean =>
  firsts[at] === NONE && (ends[at] ?? 0) - (starts[at] ?? 0) <= MOST_CELL;

const keySourceOf = ({ text, keyStarts, keyEnds }: Tree, at: number): string =>
  text.slice(keyStarts[at], keyEnds[at]);

const keysOf = (tree: Tree, at: number): string[] =>
  [...childrenOf(tree, at)].map((cell) => keySourceOf(tree, cell));

export function rowAt(outline: Outline, index: number): JsonRow {
  const { tree, values, parts, depths } = outline;
  const at = values[index] ?? 0;
  const part = parts[index] ?? 'value';
  const each = part === 'numbers' ? NUMBERS_A_ROW : part === 'records' ? RECORDS_A_ROW : 0;
  const items: SourceValue[] = [];
  for (let item = at; items.length < each && item !== NONE; item = tree.nexts[item] ?? NONE)
    items.push(new SourceValue(tree, item));
  const isKeyed = part !== 'close' && depths[index] !== 0 && tree.keyStarts[at] !== NONE;
  return {
    depth: depths[index] ?? 0,
    keySource: isKeyed ? keySourceOf(tree, at) : undefined,
    part,
    value: new SourceValue(tree, at),
    first: (tree.positions[at] ?? 0) + 1,
    items,
  };
}

/** Whether the lines draw more values than so many. */
export function drawsMore({ tree, values, parts }: Outline, most: number): boolean {
  let drawn = 0;
  for (const [index, at] of values.entries()) {
    const part = parts[index];
    if (part === 'records') drawn += RECORDS_A_ROW * (tree.sizes[at] ?? 0);
    else drawn += part === 'numbers' ? NUMBERS_A_ROW : 1;
    if (drawn > most) return true;
  }
  return false;
}

/** The line that draws a value, or what it is in where that is drawn as a whole. */
export function rowOf({ values, parts }: Outline, node: number): number {
  let found = 0;
  for (const [index, at] of values.entries()) {
    if (parts[index] === 'close') continue;
    if (at > node) break;
    found = index;
  }
  return found;
}

/** Where the containers begin that a value is in. */
export function aroundOf({ parents, starts }: Tree, node: number): readonly number[] {
  const around: number[] = [];
  for (let at = parents[node] ?? NONE; at !== NONE; at = parents[at] ?? NONE)
    around.push(starts[at] ?? 0);
  return around;
}

/** Where the containers right inside the outermost value begin. */
export const topContainers = ({ tree, node }: SourceValue): readonly number[] =>
  [...childrenOf(tree, node)]
    .filter((child) => tree.firsts[child] !== NONE)
    .map((child) => tree.starts[child] ?? 0);
