/** What administrators deploy, so that no user and no project can turn the hook off or change a call behind it. */
import { NO_TERMINALS, TERMINALS } from './codex.ts';
import type { Entries } from './entries.ts';
import type { Runtime } from './runtimes.ts';
import { wantedBy } from './settings.ts';

/** `managed-settings.json` of Claude Code. */
export function managedSettingsOf(runtime: Runtime, entries: Entries): string {
  const hooks = Object.fromEntries(
    Object.entries(wantedBy(runtime, entries)).map(([event, hook]) => [event, [{ hooks: [hook] }]]),
  );
  return `${JSON.stringify({ allowManagedHooksOnly: true, hooks }, undefined, 2)}\n`;
}

/** `requirements.toml` of Codex, with the hook trusted. */
export function requirementsOf(runtime: Runtime, entries: Entries, folder: string): string {
  const hooks = Object.entries(wantedBy(runtime, entries)).map(
    ([event, { command, timeout }]) => `[[hooks.${event}]]

[[hooks.${event}.hooks]]
type = "command"
command = ${JSON.stringify(command)}
timeout = ${String(timeout)}
`,
  );
  return `# /etc/codex/requirements.toml: the hook of Countersign for everyone on this machine. No one has to trust it, and no one can
# turn it off. Other hooks of users and projects do not run.
allow_managed_hooks_only = true

[features]
hooks = true
# ${NO_TERMINALS}.
${TERMINALS} = false

[hooks]
managed_dir = ${JSON.stringify(folder)}

${hooks.join('\n')}`;
}
