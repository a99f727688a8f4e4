/** `countersign plan`, `apply` and `export`: the configuration of an organization as files. */
import { OperatorError } from '../../src/platform/operator-error.ts';
import { applyChanges, createsSecrets, verified } from './apply.ts';
import { runTests, simulate } from './checks.ts';
import { exportTo } from './export.ts';
import { readFolder } from './folder.ts';
import { planOf, type Plan, type Prune } from './plan.ts';
import {
  appliedJson,
  appliedText,
  exportedText,
  planJson,
  planText,
  visible,
  type Planned,
} from './report.ts';
import { openSecretKeeper } from './secrets.ts';
import { openService, Refusal, type Service } from './service.ts';

export interface ConnectionOptions {
  readonly key?: string;
  readonly url?: string;
  readonly json?: boolean;
}

export interface PlanOptions extends ConnectionOptions {
  readonly prune?: Prune;
}

export interface ApplyOptions extends PlanOptions {
  readonly secretsFile?: string;
}

export interface ExportOptions extends ConnectionOptions {
  readonly force?: boolean;
}

const EXIT_ERROR = 1;
const EXIT_CHANGES = 2;

function serviceOf({ key, url }: ConnectionOptions): Service {
  if (url === undefined || url === '')
    throw new OperatorError('Say where the service answers with --url or COUNTERSIGN_URL.');
  if (key === undefined || key === '')
    throw new OperatorError('Give an API key with --key or COUNTERSIGN_API_KEY.');
  return openService({ url, key });
}

export interface Output {
  /** One text with its line breaks. */
  readonly write: (text: string) => void;
}

interface Printer {
  /** Text for people; nothing with `--json`. */
  readonly say: (text: string) => void;
  /** With `--json` alone. */
  readonly give: (value: object) => void;
}

function printerOn({ write }: Output, { json = false }: ConnectionOptions): Printer {
  return {
    say: (text) => {
      if (!json) write(`${visible(text)}\n`);
    },
    give: (value) => {
      if (json) write(`${JSON.stringify(value, undefined, 2)}\n`);
    },
  };
}

const standardOutput: Output = { write: (text) => process.stdout.write(text) };

/** A refusal outside of an apply, such as a missing permission to read, is for people too. */
async function forPeople<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const issues = error.issues.map(({ pointer, message }) => `${pointer} ${message}`);
    throw new OperatorError(visible([error.message, ...issues].join('\n')));
  }
}

/** Resolves with the exit code: 0 nothing to do, 2 changes, 1 a problem. */
export async function plan(
  folder: string,
  options: PlanOptions,
  output: Output = standardOutput,
): Promise<number> {
  const service = serviceOf(options);
  const { say, give } = printerOn(output, options);
  const planned = await forPeople(() => look(service, folder, options.prune ?? []));
  say(planText(planned));
  give(planJson(planned));
  if (hasProblem(planned)) return EXIT_ERROR;
  return planned.changes.length > 0 ? EXIT_CHANGES : 0;
}

/** Faults of the files alone end it before the service is asked. */
async function look(service: Service, path: string, prune: Prune): Promise<Planned> {
  const folder = await readFolder(path);
  const nothing = { changes: [], left: [], tests: [], simulations: [] };
  if (folder.faults.length > 0) return { ...nothing, faults: folder.faults };
  const found: Plan = await planOf(service, folder, prune);
  const { changes, left, faults } = found;
  if (faults.length > 0) return { ...nothing, changes, left, faults };
  const tests = await runTests(service, found);
  const simulations = await simulate(service, changes);
  const refused = simulations.flatMap((one) => one.faults ?? []);
  return { changes, left, faults: refused, tests, simulations };
}

const hasProblem = ({ faults, tests }: Planned): boolean =>
  faults.length > 0 || tests.some(({ failure }) => failure !== undefined);

/** Resolves with the exit code: 0 everything is as the folder says, 1 it is not. */
export async function apply(
  folder: string,
  options: ApplyOptions,
  output: Output = standardOutput,
): Promise<number> {
  const service = serviceOf(options);
  const { say, give } = printerOn(output, options);
  const planned = await forPeople(() => look(service, folder, options.prune ?? []));
  say(planText(planned));
  if (hasProblem(planned)) {
    say('Nothing was changed.');
    give({ ...planJson(planned), done: [], not_done: planned.changes.map(({ name }) => name) });
    return EXIT_ERROR;
  }
  const { changes } = planned;
  const secrets = createsSecrets(changes) ? await openSecretKeeper(options.secretsFile) : undefined;
  try {
    const onDone = ({ name }: { readonly name: string }): void => {
      say(`Done: ${name}`);
    };
    const applied = await verified(
      await applyChanges(changes, { service, secrets, onDone }),
      async () => {
        const again = await forPeople(async () => await readFolder(folder));
        // What was archived by its name has none to prune now.
        const prune = (options.prune ?? []).filter((name) => name === 'all');
        return (await forPeople(() => planOf(service, again, prune))).changes;
      },
    );
    say(appliedText(applied));
    give({ ...planJson(planned), ...appliedJson(applied) });
    return applied.stopped ? EXIT_ERROR : 0;
  } finally {
    await secrets?.close();
  }
}

/** Resolves with the exit code: 1 where files differ and stay. */
export async function exportFolder(
  folder: string,
  options: ExportOptions,
  output: Output = standardOutput,
): Promise<number> {
  const service = serviceOf(options);
  const { say, give } = printerOn(output, options);
  const { force = false } = options;
  const exported = await forPeople(() => exportTo(service, folder, { force }));
  say(exportedText(exported));
  give(exported);
  return exported.kept.length > 0 ? EXIT_ERROR : 0;
}
