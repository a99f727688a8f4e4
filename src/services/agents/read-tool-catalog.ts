/**
 * Reads reports of tools, which have up to 8 MiB. Only what a grammar reads becomes a value, so
 * that a report never needs much more memory than its text.
 */
import {
  MAX_REPORTED_SOURCES,
  MAX_REPORTED_TOOLS,
  reportedTool,
  sourceKeyOf,
  toolDefinitionSchema,
  toolReportMembers,
  toolSourceMembers,
  type ReportedSource,
  type ReportedTool,
  type ToolReport,
} from '../../domain/agents/tool-catalog.ts';
import { MAX_ISSUES, type Issue } from '../../domain/errors.ts';
import { object } from '../../domain/grammar.ts';
import type { IssueCode } from '../../domain/issue-codes.ts';
import { readBy } from '../../domain/issues.ts';
import { JsonText, parseExact, pointerToken } from '../../platform/json/exact-json.ts';
import type { ExactObject } from '../../platform/json/exact-values.ts';
import { knownEntries, knownItems } from '../../platform/json/json-members.ts';

/** The texts of a report's members, of valid JSON. */
export type ReportTexts = Readonly<Partial<Record<keyof typeof toolReportMembers, string>>>;

export type ReadToolReport =
  { readonly issues: readonly Issue[] } | { readonly report: ToolReport };

const { sources: _sources, ...headMembers } = toolReportMembers;
const headSchema = object(headMembers);
const sourceSchema = object(toolSourceMembers);
const SOURCE_MEMBERS = new Set([...Object.keys(toolSourceMembers), 'tools']);
const TOOL_MEMBERS = new Set(Object.keys(toolDefinitionSchema.shape));

/** The report, or at most 100 issues with their pointers. */
export function readToolReport({ sources, ...head }: ReportTexts): ReadToolReport {
  const reading: Reading = { issues: [], tools: 0, keys: new Set() };
  const read = readBy(headSchema, valuesOf(Object.entries(head)));
  if (!read.ok) reading.issues.push(...read.issues);
  const items = itemsOf(reading, '/sources', { text: sources, most: MAX_REPORTED_SOURCES });
  const found: ReportedSource[] = [];
  for (const [index, item] of items.entries()) {
    if (reading.issues.length >= MAX_ISSUES) break;
    const source = readSource(reading, `/sources/${index}`, item);
    if (source) found.push(source);
  }
  if (!read.ok || reading.issues.length > 0) return { issues: reading.issues.slice(0, MAX_ISSUES) };
  const { runtime, discovery_context: discoveryContext, complete } = read.value;
  return { report: { runtime, discoveryContext, complete, sources: found } };
}

interface Reading {
  readonly issues: Issue[];
  /** How many tools the sources so far have. */
  tools: number;
  readonly keys: Set<string>;
}

function add(
  reading: Reading,
  pointer: string,
  [code, message]: readonly [IssueCode, string],
): void {
  reading.issues.push({ pointer, code, message });
}

/** The texts of a list's items; none when it is no list or too long. */
function itemsOf(
  reading: Reading,
  pointer: string,
  { text, most }: { readonly text: string | undefined; readonly most: number },
): readonly string[] {
  if (text === undefined) add(reading, pointer, ['required', 'is required']);
  else if (!text.startsWith('[')) add(reading, pointer, ['invalid_type', 'must be an array']);
  else {
    const items: string[] = [];
    for (const item of knownItems(text)) {
      if (items.push(item) <= most) continue;
      add(reading, pointer, ['too_many', `must have at most ${most} items`]);
      return [];
    }
    return items;
  }
  return [];
}

/** The members of an object; undefined at the first one that is not known, since more are not worth the time. */
function membersOf(
  reading: Reading,
  pointer: string,
  { text, known }: { readonly text: string; readonly known: ReadonlySet<string> },
): (readonly [name: string, text: string])[] | undefined {
  const entries: (readonly [name: string, text: string])[] = [];
  for (const entry of knownEntries(text)) {
    const [name] = entry;
    if (!known.has(name)) {
      add(reading, `${pointer}/${pointerToken(name)}`, ['unknown_field', 'is not a known field']);
      return undefined;
    }
    entries.push(entry);
  }
  return entries;
}

/** Values of this length are longer than any that a grammar takes, apart from texts and schemas. */
const LONG_VALUE = 64 * 1024;

/** The members as values. A schema keeps its text. A list too long to be read stays empty, and no member takes one. */
function valuesOf(entries: Iterable<readonly [name: string, text: string]>): ExactObject {
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, text] of entries) {
    if (name === 'input_schema') values[name] = new JsonText(text);
    else values[name] = text.length <= LONG_VALUE || text.startsWith('"') ? parseExact(text) : [];
  }
  return values as ExactObject;
}

function readSource(reading: Reading, pointer: string, text: string): ReportedSource | undefined {
  const before = reading.issues.length;
  if (!text.startsWith('{')) {
    add(reading, pointer, ['invalid_type', 'must be an object']);
    return undefined;
  }
  const entries = membersOf(reading, pointer, { text, known: SOURCE_MEMBERS });
  if (!entries) return undefined;
  const members = entries.filter(([name]) => name !== 'tools');
  const read = readBy(sourceSchema, valuesOf(members), pointer);
  if (!read.ok) reading.issues.push(...read.issues);
  else checkSource(reading, pointer, read.value);
  const toolsText = entries.find(([name]) => name === 'tools')?.[1];
  const failed = read.ok && read.value.error !== undefined;
  const tools =
    toolsText === undefined && failed ? [] : readTools(reading, `${pointer}/tools`, toolsText);
  return read.ok && reading.issues.length === before ? { ...read.value, tools } : undefined;
}

function checkSource(
  reading: Reading,
  pointer: string,
  source: Pick<ReportedSource, 'source' | 'server'>,
): void {
  const at = `${pointer}/server`;
  if (source.source === 'mcp' && source.server === undefined)
    add(reading, at, ['required', 'is required for tools of an MCP server']);
  if (source.source === 'builtin' && source.server !== undefined)
    add(reading, at, ['invalid_value', 'must be absent for built-in tools']);
  const key = sourceKeyOf(source);
  if (reading.keys.has(key))
    add(reading, pointer, ['duplicate_source', 'must be the only entry of its source']);
  reading.keys.add(key);
}

function readTools(
  reading: Reading,
  pointer: string,
  text: string | undefined,
): readonly ReportedTool[] {
  const items = itemsOf(reading, pointer, { text, most: MAX_REPORTED_TOOLS });
  const fitted = reading.tools <= MAX_REPORTED_TOOLS;
  reading.tools += items.length;
  if (reading.tools > MAX_REPORTED_TOOLS) {
    const rule = `must not bring the report over ${MAX_REPORTED_TOOLS} tools`;
    if (fitted) add(reading, pointer, ['too_many', rule]);
    return [];
  }
  const names = new Set<string>();
  const tools: ReportedTool[] = [];
  for (const [index, item] of items.entries()) {
    if (reading.issues.length >= MAX_ISSUES) break;
    const at = `${pointer}/${index}`;
    if (!item.startsWith('{')) {
      add(reading, at, ['invalid_type', 'must be an object']);
      continue;
    }
    const entries = membersOf(reading, at, { text: item, known: TOOL_MEMBERS });
    if (!entries) continue;
    const read = readBy(toolDefinitionSchema, valuesOf(entries), at);
    if (!read.ok) reading.issues.push(...read.issues);
    else if (names.has(read.value.name))
      add(reading, `${at}/name`, ['duplicate_tool', 'must be unique in its source']);
    else {
      names.add(read.value.name);
      tools.push(reportedTool(read.value));
    }
  }
  return tools;
}
