/** All settings that Claude Code reads for the folder it starts in, and what they mean for the hook, as measured with 2.1.332. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isOwnCommand } from './entries.ts';
import type { Runtime } from './runtimes.ts';
import { gapsIn, isObject, settingsOf, type Gaps, type Json } from './settings.ts';

export interface Scope {
  readonly name: 'managed' | 'user' | 'project' | 'local' | 'plugin';
  readonly file: string;
  readonly settings: Json;
  /** Undefined: the hook is not there. */
  readonly gaps: Gaps | undefined;
  /** Not JSON: Claude Code reads nothing of it. */
  readonly fault?: string;
}

/** A hook of someone else at an event that can change or allow a call. */
export interface OtherHook {
  readonly scope: string;
  readonly file: string;
  readonly event: string;
  readonly what: string;
}

const MANAGED =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

const configFolder = () => process.env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude');

/** From the one that counts least to the one that counts most, without those that are not there. */
export function scopesOf(runtime: Runtime): Scope[] {
  const places: readonly (readonly [Scope['name'], string])[] = [
    ...pluginFiles().map((file) => ['plugin', file] as const),
    ['user', runtime.userFile()],
    ['project', resolve('.claude/settings.json')],
    ['local', resolve('.claude/settings.local.json')],
    ['managed', join(MANAGED, 'managed-settings.json')],
    ...dropIns().map((file) => ['managed', file] as const),
  ];
  const isHome = resolve('.claude/settings.json') === resolve(runtime.userFile());
  return places
    .filter(([name, file]) => existsSync(file) && !(isHome && name === 'project'))
    .map(([name, file]) => scopeOf(name, file, runtime));
}

function dropIns(): string[] {
  const folder = join(MANAGED, 'managed-settings.d');
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
        .sort()
        .map((name) => join(folder, name))
    : [];
}

/** Of the plugins that this person installed, turned on or not. */
function pluginFiles(): string[] {
  const list = join(configFolder(), 'plugins/installed_plugins.json');
  try {
    const text = readFileSync(list, 'utf8');
    const paths = [...text.matchAll(/"installPath"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
    return paths.map(([, path = '""']) => join(JSON.parse(path) as string, 'hooks/hooks.json'));
  } catch {
    return [];
  }
}

function scopeOf(name: Scope['name'], file: string, runtime: Runtime): Scope {
  try {
    const text = readFileSync(file, 'utf8');
    const settings = text.trim() === '' ? {} : settingsOf(text);
    return { name, file, settings, gaps: gapsIn(text, runtime) };
  } catch (error) {
    return { name, file, settings: {}, gaps: undefined, fault: (error as Error).message };
  }
}

/** The system and bash read them before the command can clear them. */
export const ENDING_SHELL = [
  ...['LD_PRELOAD', 'LD_AUDIT', 'LD_TRACE_LOADED_OBJECTS', 'LD_LIBRARY_PATH', 'LD_PROFILE'],
  ...['SHELLOPTS', 'DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH'],
] as const;
const endsShell = (name: string) => ENDING_SHELL.some((each) => each === name);

type When = keyof Gaps;

/** Why Claude Code does not start the hook before, or after, every call in this folder. Undefined: it does. */
export function whyNot(scopes: readonly Scope[], when: When): string | undefined {
  const isWholeThen = (scope: Scope) => isWhole(scope, when);
  const managed = scopes.filter(({ name }) => name === 'managed');
  const off = managed.find(({ settings }) => settings['disableAllHooks'] === true);
  if (off) return `"disableAllHooks" is true in ${off.file}`;
  if (managed.some(isWholeThen)) return undefined;
  const only = managed.find(
    ({ settings }) =>
      settings['allowManagedHooksOnly'] === true ||
      ![undefined, false].includes(settings['strictPluginOnlyCustomization'] as undefined),
  );
  if (only) return `${only.file} lets no hook of users and projects run`;
  const ours = scopes.filter(({ name }) => name !== 'managed' && name !== 'plugin');
  const fault = ours.find((each) => each.fault !== undefined);
  if (!ours.some(isWholeThen))
    return fault
      ? `${fault.file} is not read: ${String(fault.fault)}`
      : (gapOf(scopes, when) ?? 'no settings that count in this folder have the hook');
  // The last one counts: local, then project, then user.
  const word = ours.findLast(({ settings }) => typeof settings['disableAllHooks'] === 'boolean');
  if (word?.settings['disableAllHooks'] === true)
    return `"disableAllHooks" is true in ${word.file}`;
  for (const { file, settings } of scopes) {
    const name = Object.keys(isObject(settings['env']) ? settings['env'] : {}).find(endsShell);
    if (name !== undefined) return `"env" in ${file} sets ${name}, which can end the hook's shell`;
  }
  const mode = ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'].find((name) => process.env[name]);
  return mode === undefined ? undefined : `${mode} is set, so no hook of users and projects runs`;
}

export const isWhole = ({ gaps }: Scope, when: When): boolean => gaps?.[when].length === 0;

const gapOf = (scopes: readonly Scope[], when: When): string | undefined =>
  scopes.find(({ gaps }) => gaps !== undefined)?.gaps?.[when].join('; ');

const CAN: Readonly<Record<string, string>> = {
  PreToolUse: 'can change a call after it was approved, and allow it',
  PermissionRequest: 'can change a call that the permissions ask about, and allow it',
  PreSkillShellCommand: 'can stop a command of a skill',
};

/** Those that do not run, because only managed ones do, are left out. */
export function othersIn(scopes: readonly Scope[], runtime: Runtime): OtherHook[] {
  const onlyManaged = scopes.some(
    ({ name, settings }) => name === 'managed' && settings['allowManagedHooksOnly'] === true,
  );
  return scopes
    .filter(({ name }) => name === 'managed' || !onlyManaged)
    .flatMap(({ name, file, settings }) =>
      Object.entries(CAN).flatMap(([event, can]) =>
        hooksAt(settings, event)
          .filter((hook) => !isOwnCommand(String(hook['command']), runtime))
          .map((hook) => ({
            ...{ scope: name, file, event },
            what: `${String(hook['command'] ?? hook['url'] ?? hook['type'])}: ${can}`,
          })),
      ),
    );
}

function hooksAt(settings: Json, event: string): Json[] {
  const { hooks } = settings;
  const groups = isObject(hooks) ? hooks[event] : undefined;
  return (Array.isArray(groups) ? (groups as unknown[]) : []).flatMap((group) => {
    const list = isObject(group) ? group['hooks'] : undefined;
    return (Array.isArray(list) ? (list as unknown[]) : []).filter(isObject);
  });
}
