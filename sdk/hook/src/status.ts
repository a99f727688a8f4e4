/** `countersign-hook status`: whether a call in this folder is asked about, as the runtime reads its settings here. */
import { credentialsFor, enrolled } from '../../typescript/src/credentials.ts';
import { callService } from '../../typescript/src/http.ts';
import { codexState, NO_TERMINALS, TERMINALS, type CodexHook } from './codex.ts';
import { isOwnCommand } from './entries.ts';
import { readSettings, say } from './files.ts';
import { accessFor, pathOf } from './run/access.ts';
import type { Runtime } from './runtimes.ts';
import { isWhole, othersIn, scopesOf, whyNot } from './scopes.ts';
import { commandsIn, gapsIn } from './settings.ts';
import { VERSION } from './version.ts';
import { versionOf } from './versions.ts';

export interface Looked {
  readonly isInstalled: boolean;
  /** A command of the hook, for its address and credential. */
  readonly command: string;
  readonly where: readonly string[];
  /** Why calls run without a question. Undefined: each is asked about. */
  readonly why: string | undefined;
  /** Why what ran is not compared with what was approved. */
  readonly whyNotCompared: string | undefined;
  readonly others: readonly string[];
  /** How else the runtime can be started, and what then. */
  readonly modes: readonly string[];
}

export interface Look {
  /** The settings that `--config` names. */
  readonly file?: string | undefined;
  readonly binary?: string | undefined;
}

/** Undefined where it is not installed, which is no fault as long as another one is. */
export async function status(runtime: Runtime, look: Look): Promise<boolean | undefined> {
  const looked = await lookAt(runtime, look);
  if (!looked.isInstalled) {
    say(`${runtime.title}: not installed for ${look.file ?? process.cwd()}`);
    looked.others.forEach((each) => {
      say(`  another hook  ${each}`);
    });
    return undefined;
  }
  const { version, refusal } = await versionOf(runtime, look.binary);
  const isTooOld = refusal !== undefined && (version !== undefined || runtime.name === 'claude');
  const why = isTooOld ? refusal : looked.why;
  const reached = await reach(looked.command);
  const lines = [
    ...looked.where.map((each) => ['settings', each]),
    ['every tool', why === undefined ? 'asked' : `NOT asked, because ${why}`],
    ...notCompared(looked),
    ...looked.modes.map((each) => ['not here', each]),
    ...looked.others.map((each) => ['another hook', each]),
    ['credential', credentialLine(looked.command)],
    ['service', reached ?? 'reached'],
  ];
  say(
    `${runtime.title} ${version ?? 'of a version that it does not say'}, hook ${VERSION}, in ${process.cwd()}`,
  );
  for (const [name = '', text = ''] of lines) say(`  ${name.padEnd(13)} ${text}`);
  return why === undefined && looked.whyNotCompared === undefined && reached === undefined;
}

/** As a line of `status`. What is not asked about has no approval to compare. */
export const notCompared = ({ why, whyNotCompared }: Looked): [string, string][] =>
  why !== undefined || whyNotCompared === undefined
    ? []
    : [['what ran', `NOT compared with what was approved, because ${whyNotCompared}`]];

export async function lookAt(runtime: Runtime, { file, binary }: Look): Promise<Looked> {
  if (file !== undefined || runtime.name === 'cursor')
    return await lookAtFile(runtime, file ?? runtime.userFile());
  return runtime.name === 'claude' ? lookAtClaude(runtime) : await lookAtCodex(runtime, binary);
}

async function lookAtFile(runtime: Runtime, file: string): Promise<Looked> {
  const text = await readSettings(file);
  const gaps = gapsIn(text, runtime);
  return {
    ...{ isInstalled: gaps !== undefined, command: commandsIn(text, runtime)[0] ?? '' },
    ...{ where: [file], others: [], modes: [] },
    why:
      gaps === undefined
        ? `${file} has no hook of Countersign`
        : gaps.before.join('; ') || undefined,
    whyNotCompared: gaps?.after.join('; ') || undefined,
  };
}

const MODES = [
  'claude --bare, --safe-mode, --settings with "disableAllHooks", CLAUDE_CODE_SIMPLE=1: NOT asked',
  'claude --setting-sources without these settings, another CLAUDE_CONFIG_DIR: NOT asked',
];
const SERVE = 'claude mcp serve: NOT asked, whatever the settings say';

function lookAtClaude(runtime: Runtime): Looked {
  const scopes = scopesOf(runtime);
  const ours = scopes.filter(({ gaps }) => gaps !== undefined);
  const isManaged = scopes.some((each) => each.name === 'managed' && isWhole(each, 'before'));
  const texts = ours.flatMap(({ settings }) => commandsIn(JSON.stringify(settings), runtime));
  return {
    ...{ isInstalled: ours.length > 0, command: texts[0] ?? '' },
    where: [
      ...ours.map(({ name, file }) => `${name}: ${file}`),
      ...scopes.flatMap(({ file, fault }) => (fault === undefined ? [] : [`${file}: ${fault}`])),
    ],
    why: whyNot(scopes, 'before'),
    whyNotCompared: whyNot(scopes, 'after'),
    others: othersIn(scopes, runtime).map(
      ({ scope, file, event, what }) => `${event} of ${scope} (${file}) ${what}`,
    ),
    modes: [...(isManaged ? [] : MODES), SERVE],
  };
}

async function lookAtCodex(runtime: Runtime, binary = 'codex'): Promise<Looked> {
  const state = await codexState(binary);
  if (!state)
    return {
      ...(await lookAtFile(runtime, runtime.userFile())),
      why: `${binary} app-server did not say which hooks run. Give the path of Codex with --binary`,
    };
  const { hooks, features, requirements } = state;
  const ours = hooks.filter(({ command }) => isOwnCommand(command, runtime));
  const fileOnly = await lookAtFile(runtime, runtime.userFile());
  const isManaged = requirements['allowManagedHooksOnly'] === true;
  return {
    isInstalled: ours.length > 0 || fileOnly.isInstalled,
    command: ours[0]?.command ?? fileOnly.command,
    where: [...new Set(ours.map(({ source, file }) => `${source}: ${file}`))],
    why: whyCodexPasses(runtime, ours, features),
    whyNotCompared: runtime.after.map((event) => gapOfCodex(event, ours)).find(Boolean),
    others: hooks
      .filter(
        (hook) => !ours.includes(hook) && ['preToolUse', 'permissionRequest'].includes(hook.event),
      )
      .map(({ event, source, file, command, isTrusted }) => {
        const can =
          event === 'preToolUse' ? 'can change a call after it was approved' : 'can allow a call';
        return `${event} of ${source} (${file}) ${command}: ${isTrusted ? can : 'does not run until it is trusted'}`;
      }),
    modes: isManaged
      ? []
      : ['codex -c features.hooks=false, codex with another CODEX_HOME: NOT asked'],
  };
}

function whyCodexPasses(
  { before }: Runtime,
  ours: readonly CodexHook[],
  features: CodexFeatures,
): string | undefined {
  if (features['hooks'] === false || features['codex_hooks'] === false)
    return 'a config.toml that counts here turns hooks off';
  const gap = before.map((event) => gapOfCodex(event, ours)).find(Boolean);
  if (gap !== undefined) return gap;
  if (features[TERMINALS] !== false)
    return `no config.toml that counts here has ${TERMINALS} = false: ${NO_TERMINALS}`;
  return undefined;
}

function gapOfCodex(event: string, ours: readonly CodexHook[]): string | undefined {
  const name = `${event.charAt(0).toLowerCase()}${event.slice(1)}`;
  const hook = ours.find((each) => each.event === name);
  if (!hook) return `Codex sees no hook of Countersign at ${event}`;
  if (!hook.isEnabled) return `the hook at ${event} is turned off in config.toml`;
  if (!hook.isTrusted) return `the hook at ${event} is not trusted: start codex and open /hooks`;
  return ['', '*', 'null'].includes(hook.matcher)
    ? undefined
    : `the matcher at ${event} leaves tools out`;
}

type CodexFeatures = Readonly<Record<string, unknown>>;

/** As a shell reads it: `quoted` of `entries.ts` writes an apostrophe as four characters. */
const optionOf = (command: string, name: string): string | undefined =>
  new RegExp(String.raw`--${name} '((?:[^']|'\\'')*)'`)
    .exec(command)?.[1]
    ?.replaceAll(String.raw`'\''`, "'");

/** When it ends, every call is denied. */
function credentialLine(command: string): string {
  const given = optionOf(command, 'credential');
  if (given === undefined) return 'of the environment';
  const path = pathOf(given);
  try {
    const { expiresAt } = enrolled(path);
    const ends = Date.parse(expiresAt ?? '');
    if (Number.isNaN(ends)) return `${path}, which does not say when it ends`;
    const days = Math.floor((ends - Date.now()) / 86_400_000);
    const again = 'Make a new one with countersign-hook enroll --force';
    if (ends <= Date.now()) return `${path} ended on ${String(expiresAt)}. ${again}.`;
    return `${path} works until ${String(expiresAt)}${days < 14 ? `, ${String(days)} days more. ${again}.` : ''}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Undefined, or why the hook cannot ask. */
async function reach(command: string): Promise<string | undefined> {
  try {
    const named = { url: optionOf(command, 'url'), credential: optionOf(command, 'credential') };
    const credentials = credentialsFor(accessFor(named));
    const limits = { until: performance.now() + 5_000 };
    const token = await credentials.token(0, limits);
    const path = '/requests?status=pending';
    await callService(credentials.url, { method: 'GET', path, token }, limits);
    return undefined;
  } catch (error) {
    return `NOT reached, so every call is denied: ${(error as Error).message}`;
  }
}
