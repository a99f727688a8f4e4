/** What Codex itself says about its hooks and its features in this folder: `codex app-server` reads every scope as a session does. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isObject, type Json } from './settings.ts';

/** A feature that must be off, and why. */
export const TERMINALS = 'unified_exec_tty';
export const NO_TERMINALS = 'Codex asks no hook about input for a running terminal';

export interface CodexHook {
  readonly event: string;
  readonly command: string;
  /** Whose: `user`, `project`, `plugin`, or of an administrator. */
  readonly source: string;
  readonly file: string;
  readonly isTrusted: boolean;
  readonly isEnabled: boolean;
  readonly matcher: string;
}

export interface CodexState {
  readonly hooks: readonly CodexHook[];
  readonly features: Json;
  readonly requirements: Json;
}

const ANSWER_MS = 20_000;
const ASKED = ['initialize', 'hooks/list', 'config/read', 'configRequirements/read'];

/** Undefined, if it does not say it. */
export async function codexState(binary: string): Promise<CodexState | undefined> {
  const child = spawn(binary, ['app-server'], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
  try {
    const cwd = process.cwd();
    const params = [
      { clientInfo: { name: 'countersign-hook', version: '1' } },
      ...[{ cwds: [cwd] }, { cwd, includeLayers: false }, undefined],
    ];
    for (const [id, method] of ASKED.entries()) {
      child.stdin.write(`${JSON.stringify({ id, method, params: params[id] })}\n`);
      if (id === 0) child.stdin.write('{"method":"initialized"}\n');
    }
    const results = new Map<number, Json>();
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as { id?: number; result?: Json };
      if (message.id !== undefined) results.set(message.id, message.result ?? {});
      if (results.size === ASKED.length) return stateOf(results);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    child.kill();
  }
}

function stateOf(results: ReadonlyMap<number, Json>): CodexState | undefined {
  const [folder] = (results.get(1)?.['data'] ?? []) as { hooks: Json[] }[];
  const config = results.get(2)?.['config'];
  if (!folder || !isObject(config)) return undefined;
  const hooks = folder.hooks.map((hook): CodexHook => {
    const text = (name: string) => String(hook[name] ?? '');
    return {
      ...{ event: text('eventName'), command: text('command'), source: text('source') },
      ...{ file: text('sourcePath'), matcher: text('matcher') },
      isTrusted: hook['isManaged'] === true || hook['trustStatus'] === 'trusted',
      isEnabled: hook['enabled'] !== false,
    };
  });
  const { requirements } = results.get(3) ?? {};
  return {
    hooks,
    features: isObject(config['features']) ? config['features'] : {},
    requirements: isObject(requirements) ? requirements : {},
  };
}
