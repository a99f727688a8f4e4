/** The settings of a runtime as text: the hook goes in and out, and everything else stays as it is, comments too. */
import { applyEdits, modify, parse, parseTree, type JSONPath, type Node } from 'jsonc-parser';
import { isOwnCommand, type Entries, type HookEntry } from './entries.ts';
import { limitIn } from './limit.ts';
import type { Runtime } from './runtimes.ts';

/** The file is not as the runtime describes it, so it is left alone. */
export class SettingsError extends Error {}

export type Json = Readonly<Record<string, unknown>>;

interface Found {
  readonly event: string;
  readonly path: JSONPath;
  readonly hook: Json;
  /** What holds the hook, where the runtime groups hooks. */
  readonly group: Json;
}

const isGrouped = (runtime: Runtime) => runtime.name !== 'cursor';
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** With the hook once at each event. The same text, if it is there already. */
export function withHook(text: string, runtime: Runtime, entries: Entries): string {
  const wanted = wantedBy(runtime, entries);
  const found = foundIn(text, runtime);
  const isThere =
    found.length === Object.keys(wanted).length &&
    Object.entries(wanted).every(([event, hook]) =>
      found.some((each) => each.event === event && isSame(each.hook, hook)),
    ) &&
    found.every(({ hook, group }) => !hasMatcher(hook, group));
  if (isThere) return text;
  let changed = withoutHook(text.trim() === '' ? '{}\n' : text, runtime);
  const settings = settingsOf(changed);
  if (runtime.name === 'cursor' && settings['version'] === undefined)
    changed = edited(changed, ['version'], 1);
  for (const [event, hook] of Object.entries(wanted)) {
    const item = isGrouped(runtime) ? { hooks: [hook] } : hook;
    const list = listOf(settingsOf(changed), event);
    changed = list
      ? edited(changed, ['hooks', event, list.length], item)
      : edited(changed, ['hooks', event], [item]);
  }
  return changed;
}

/** Without the hook, and without what only it needed. */
export function withoutHook(text: string, runtime: Runtime): string {
  let changed = text;
  // From the end, so that the places of the others stay.
  for (const { event, path, group } of foundIn(text, runtime).reverse()) {
    const list = listOf(settingsOf(changed), event) ?? [];
    const isGroupOver =
      isGrouped(runtime) && listIn(settingsOf(changed), path.slice(0, -1))?.length === 1;
    const gone = isGroupOver && isObject(group) ? path.slice(0, 3) : path;
    if (gone.length > 3 || list.length > 1) changed = edited(changed, gone, undefined);
    else {
      const events = Object.keys(settingsOf(changed)['hooks'] as Json);
      changed = edited(changed, events.length > 1 ? ['hooks', event] : ['hooks'], undefined);
    }
  }
  return changed;
}

/** The commands of the hook in these settings. */
export const commandsIn = (text: string, runtime: Runtime): string[] =>
  foundIn(text, runtime).map(({ hook }) => String(hook['command']));

/** Why a call could run without an approval, and why what ran is not compared with what was approved. */
export interface Gaps {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Undefined: the hook is not there. */
export function gapsIn(text: string, runtime: Runtime): Gaps | undefined {
  const found = foundIn(text, runtime);
  if (found.length === 0) return undefined;
  const gapsAt = (event: string) =>
    found.some((each) => each.event === event)
      ? found.filter((each) => each.event === event).flatMap((each) => gapsOf(each, runtime))
      : [`there is no hook at ${event}`];
  return { before: runtime.before.flatMap(gapsAt), after: runtime.after.flatMap(gapsAt) };
}

function gapsOf({ event, hook, group }: Found, runtime: Runtime): string[] {
  const gaps: string[] = [];
  if (hasMatcher(hook, group)) gaps.push(`the matcher at ${event} leaves tools out`);
  if (runtime.name === 'claude' && isBefore(event, runtime) && hook['onFailure'] !== 'block')
    gaps.push('"onFailure" is not "block"');
  if (runtime.name === 'cursor' && hook['failClosed'] !== true)
    gaps.push(`"failClosed" is not true at ${event}`);
  if (hook['async'] === true || hook['asyncRewake'] === true || hook['if'] !== undefined)
    gaps.push(`"async" or "if" lets calls through at ${event}`);
  if (!isOwnCommand(String(hook['command']), runtime))
    gaps.push(`the command at ${event} is not the one of this version, so install it again`);
  if (!(Number(hook['timeout']) >= (limitIn(String(hook['command'])) ?? Infinity)))
    gaps.push(`"timeout" at ${event} ends before --limit of the command`);
  return gaps;
}

export function requireUsable(text: string, runtime: Runtime): void {
  const settings = settingsOf(text);
  if (settings['disableAllHooks'] === true)
    throw new SettingsError(
      '"disableAllHooks" is true, so no hook would run. Remove it and repeat.',
    );
  if (runtime.name === 'cursor' && ![undefined, 1].includes(settings['version'] as 1))
    throw new SettingsError('"version" is not 1. This hook knows version 1.');
}

/** By event. */
export function wantedBy(runtime: Runtime, { before, after }: Entries): Record<string, Json> {
  const entries = [
    ...runtime.before.map((event) => [event, hookOf(runtime, before, true)] as const),
    ...runtime.after.map((event) => [event, hookOf(runtime, after, false)] as const),
  ];
  return Object.fromEntries(entries);
}

function hookOf({ name }: Runtime, { command, timeout }: HookEntry, isFirst: boolean): Json {
  if (name === 'cursor') return { command, timeout, failClosed: true };
  const onFailure = name === 'claude' && isFirst && { onFailure: 'block' };
  return { type: 'command', command, timeout, ...onFailure };
}

const eventsOf = ({ before, after }: Runtime) => [...before, ...after];
const isBefore = (event: string, { before }: Runtime) => before.includes(event);

function foundIn(text: string, runtime: Runtime): Found[] {
  if (text.trim() === '') return [];
  const settings = settingsOf(text);
  return eventsOf(runtime).flatMap((event) =>
    (listOf(settings, event) ?? []).flatMap((item, index): Found[] => {
      const path = ['hooks', event, index];
      if (!isObject(item)) return [];
      if (!isGrouped(runtime))
        return isOurs(item, runtime) ? [{ event, path, hook: item, group: item }] : [];
      const { hooks } = item;
      return (Array.isArray(hooks) ? (hooks as unknown[]) : []).flatMap((hook, at) =>
        isObject(hook) && isOurs(hook, runtime)
          ? [{ event, path: [...path, 'hooks', at], hook, group: item }]
          : [],
      );
    }),
  );
}

const isOurs = ({ command }: Json, { name }: Runtime): boolean =>
  typeof command === 'string' &&
  command.includes('countersign-hook') &&
  command.includes(` run ${name} `);

const hasMatcher = (hook: Json, group: Json): boolean =>
  ![undefined, '', '*'].includes((hook['matcher'] ?? group['matcher']) as string | undefined);

const isSame = (one: Json, other: Json): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** Throws for a text that is not JSON, and for names that stand twice: a change of one would leave the other. */
export function settingsOf(text: string): Json {
  const errors: unknown[] = [];
  const settings: unknown = parse(text, errors as never, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(settings)) throw new SettingsError('It is no JSON object.');
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (!tree) throw new SettingsError('It is no JSON object.');
  requireOnce(tree);
  const { hooks } = settings;
  if (hooks !== undefined && !isObject(hooks)) throw new SettingsError('"hooks" is no object.');
  for (const [event, list] of Object.entries(hooks ?? {}))
    if (!Array.isArray(list)) throw new SettingsError(`"hooks" has ${event}, which is no list.`);
  return settings;
}

function requireOnce(node: Node): void {
  if (node.type === 'object') {
    const names = (node.children ?? []).map(({ children }) => String(children?.[0]?.value));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new SettingsError(`"${twice}" stands twice.`);
  }
  node.children?.forEach(requireOnce);
}

const listOf = (settings: Json, event: string): readonly unknown[] | undefined =>
  (settings['hooks'] as Readonly<Record<string, unknown[]>> | undefined)?.[event];

const listIn = (settings: Json, path: JSONPath): readonly unknown[] | undefined =>
  path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], settings) as
    readonly unknown[] | undefined;

/** A place after the last one of a list gets the value as a new item. */
function edited(text: string, path: JSONPath, value: unknown): string {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const insertSpaces = !indent.startsWith('\t');
  const isArrayInsertion = value !== undefined && typeof path.at(-1) === 'number';
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
  return applyEdits(text, modify(text, path, value, { isArrayInsertion, formattingOptions }));
}
