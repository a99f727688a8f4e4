#!/usr/bin/env node
/**
 * The `countersign` command. Each subcommand loads only what it needs, so that --help and --version
 * respond at once.
 */
import { Command, Option } from 'commander';
import { configMarkdown } from '../src/platform/config-table.ts';
import { loadConfig, type Config } from '../src/platform/config.ts';
import type { Role } from '../src/platform/config-variables.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { packageVersion } from '../src/platform/package-root.ts';
import type { BootstrapOptions } from './bootstrap.ts';
import type {
  ApplyOptions,
  ExportOptions as ExportFolderOptions,
  PlanOptions,
} from './configuration/command.ts';
import type { EnrollOptions } from './enroll.ts';
import type { ExportOptions } from './export-audit.ts';
import type { RotateOptions } from './rotate-secrets.ts';
import type { VerifyOptions } from './verify-audit.ts';

/** A command that needs the configuration of the service. */
function command(role: Role, run: (config: Config) => Promise<number>): () => Promise<void> {
  return toItsEnd(() => run(loadConfig(process.env, role)));
}

/** Runs one command to its end. Errors for people are printed as text, others with their stack. */
function toItsEnd(run: () => Promise<number>): () => Promise<void> {
  return async () => {
    try {
      process.exitCode = await run();
    } catch (error) {
      console.error(error instanceof OperatorError ? error.message : error);
      process.exitCode = error instanceof OperatorError ? error.exitCode : 1;
    }
    // An open socket or timer of a library must not keep a finished command alive.
    process.exit();
  };
}

const program = new Command('countersign')
  .description(
    'A durable approval service for AI agents. Configured by environment variables alone: `countersign config` lists them.',
  )
  .version(packageVersion())
  .showHelpAfterError();

program
  .command('start')
  .description(
    'Run everything in one process tree: Postgres and Temporal of its own, migrations, API and worker. With DATABASE_URL or TEMPORAL_ADDRESS it uses that server instead. It listens on HOST and PORT, keeps its data in COUNTERSIGN_DATA_DIR, and stops on Ctrl-C or SIGTERM.',
  )
  .action(
    command('start', async (config) => {
      const { start } = await import('./start.ts');
      return start(config, { startedByNpm: process.env['npm_lifecycle_event'] !== undefined });
    }),
  );

program
  .command('api')
  .description(
    'Run the API on HOST and PORT. It needs DATABASE_URL and TEMPORAL_ADDRESS. Run `countersign migrate` before it.',
  )
  .option('--worker', 'run a worker in the same process, which answers sooner than one apart')
  .action(({ worker = false }: { readonly worker?: boolean }) =>
    command('api', async (config) => {
      const { serve } = await import('./serve.ts');
      return serve(config, { api: true, worker });
    })(),
  );

program
  .command('worker')
  .description(
    'Run the worker, with health and metrics on HOST and PORT. It needs DATABASE_URL and TEMPORAL_ADDRESS. Run `countersign migrate` before it.',
  )
  .action(
    command('worker', async (config) => {
      const { serve } = await import('./serve.ts');
      return serve(config, { api: false, worker: true });
    }),
  );

program
  .command('migrate')
  .description(
    'Bring the database of DATABASE_URL to the newest schema. It is safe to run at any time, beside the service, and several times at once. Exit code 1: another process kept it from a table; what ran stays, so run it again.',
  )
  .action(
    command('migrate', async ({ databaseUrl = '' }) => {
      const { checkDatabase } = await import('../src/platform/database/check.ts');
      await checkDatabase(databaseUrl, 'migrate');
      const { migrateToLatest } = await import('../src/data/migrate.ts');
      const ran = await migrateToLatest(databaseUrl, { onProgress: console.log });
      console.log(
        ran.length === 0
          ? 'The schema is up to date.'
          : ran.map((migration) => `Ran ${migration}.`).join('\n'),
      );
      return 0;
    }),
  );

program
  .command('bootstrap')
  .description(
    'Create the organization and its owner on a running service, once. It asks for the password on a terminal, or reads it from the first line of standard input.',
  )
  .requiredOption('--organization <name>', 'name of the organization')
  .requiredOption('--name <name>', 'display name of the owner')
  .requiredOption('--email <email>', 'email of the owner')
  .option(
    '--url <url>',
    'where the service answers (default: COUNTERSIGN_PUBLIC_URL, or HOST and PORT)',
  )
  .option(
    '--secret-file <path>',
    'file with the bootstrap secret (default: bootstrap-secret in COUNTERSIGN_DATA_DIR)',
  )
  .action((options: BootstrapOptions) =>
    command('bootstrap', async (config) => {
      const { bootstrap } = await import('./bootstrap.ts');
      return bootstrap(config, options);
    })(),
  );

program
  .command('enroll')
  .description(
    [
      'Make this machine an instance of an agent. It prints a link and a code for a person who may issue credentials. Once they have authorized it in a browser, it writes the credential to a file that only this user can read.',
      'Exit codes: 0 the credential is written; 75 the code expired after ten minutes, so run it again; 130 it was stopped; 1 anything else.',
    ].join('\n\n'),
  )
  .requiredOption(
    '--file <path>',
    'file for the credential; one that exists is never replaced without --force',
  )
  .option('--force', 'replace the file')
  .option('--agent <slug>', 'the only agent that the person can choose')
  .option('--name <name>', 'name of the instance (default: the name of this machine)')
  .option(
    '--runtime <text>',
    'what runs the agent, for the person who authorizes it',
    `countersign ${packageVersion()} on ${process.platform}`,
  )
  .option(
    '--url <url>',
    'where the service answers (default: COUNTERSIGN_PUBLIC_URL, or HOST and PORT)',
  )
  .action((options: EnrollOptions) =>
    command('enroll', async (config) => {
      const { enroll } = await import('./enroll.ts');
      return enroll(config, options);
    })(),
  );

program
  .command('rotate-secrets')
  .description(
    [
      'Encrypt every stored secret again under the current secrets key. It is safe to interrupt and to repeat.',
      'With DATABASE_URL: give every process of the service a new COUNTERSIGN_SECRETS_KEY, and the earlier key in COUNTERSIGN_PREVIOUS_SECRETS_KEYS. Restart them. Run this with the same variables. Then remove the earlier key.',
      'On the Postgres of `start`: stop the service and run this with --new-key. It makes a new key in the data folder. It keeps the earlier key in secrets-key.previous until nothing needs it. After an interruption run it again without --new-key. The service may run in between.',
    ].join('\n\n'),
  )
  .option('--new-key', 'make a new key first, in the data folder of `start`')
  .action((options: RotateOptions) =>
    command('rotate-secrets', async (config) => {
      const { rotateSecrets } = await import('./rotate-secrets.ts');
      return rotateSecrets(config, options);
    })(),
  );

program
  .command('recover-owner')
  .description(
    'Let an owner back in who lost their second factor, where no other owner can remove it. It prints a link that works once within an hour, sets a new password and removes the second factor. The audit log records it, and, with SMTP_URL, every owner is told by email. It may run beside the service, on DATABASE_URL or the Postgres of `start`.',
  )
  .argument('<email>', 'the email of the owner')
  .action((email: string) =>
    command('recover-owner', async (config) => {
      const { recoverOwnerOf } = await import('./recover-owner.ts');
      return recoverOwnerOf(config, email);
    })(),
  );

program
  .command('export-audit')
  .description(
    'Write the audit log of an organization to a new file, with the proof that `verify-audit` verifies. It may run beside the service, on DATABASE_URL or the Postgres of `start`.',
  )
  .argument('<file>', 'the file to write; one that exists is not replaced')
  .option('--organization <slug>', 'the organization, where there are several')
  .action((file: string, options: ExportOptions) =>
    command('export-audit', async (config) => {
      const { exportAudit } = await import('./export-audit.ts');
      return exportAudit(config, file, options);
    })(),
  );

program
  .command('verify-audit')
  .description(
    [
      'Verify an export of the audit log with proof. It needs neither the service nor its database. It names the first position that is wrong, and says what it cannot prove.',
      'Without a file: verify what the database of DATABASE_URL, or of `start`, holds. It finds events that were changed, removed or added, and chains that were rolled back.',
      'Exit codes: 0 everything is right; 1 something is not.',
    ].join('\n\n'),
  )
  .argument('[file]', 'an export with proof')
  .option('--key <key...>', 'public keys to trust, or files with some')
  .option('--checkpoint <file...>', 'files with checkpoints that you kept')
  .action((file: string | undefined, options: VerifyOptions) =>
    command('verify-audit', async (config) => {
      const { verifyAudit } = await import('./verify-audit.ts');
      return verifyAudit(config, file, options);
    })(),
  );

const onService = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .argument('<folder>', 'the folder of YAML files')
    .addOption(
      new Option('--url <url>', 'address of the service: https, or http on this machine').env(
        'COUNTERSIGN_URL',
      ),
    )
    .addOption(
      new Option(
        '--key <key>',
        'an API key; the variable keeps it out of the list of processes',
      ).env('COUNTERSIGN_API_KEY'),
    )
    .option('--json', 'print one JSON object');

const collect = (name: string, names: readonly string[] = []): readonly string[] => [
  ...names,
  name,
];
const PRUNE = [
  '--prune <name>',
  'also archive what the folder does not have: a name of the plan, such as agents/old-bot, or `all` of the kinds that the folder has; repeatable',
] as const;

onService(
  'plan',
  [
    'Show what apply would change so that the organization is as the folder says. It runs the tests of pipelines, and says what the rules would have said of the requests of the last 7 days. It changes nothing.',
    'Exit codes: 0 nothing to do; 2 changes; 1 a problem.',
  ].join('\n\n'),
)
  .option(...PRUNE, collect)
  .action((folder: string, options: PlanOptions) =>
    toItsEnd(async () => {
      const { plan } = await import('./configuration/command.ts');
      return plan(folder, options);
    })(),
  );

onService(
  'apply',
  [
    'Make the changes that plan shows, in the order of their dependence. It stops at the first refusal, and may be run again.',
    'Exit codes: 0 the organization is as the folder says; 1 it is not.',
  ].join('\n\n'),
)
  .option(...PRUNE, collect)
  .option(
    '--secrets-file <path>',
    'append signing secrets of new endpoints to this private file, one JSON object a line (default: show them on the terminal)',
  )
  .action((folder: string, options: ApplyOptions) =>
    toItsEnd(async () => {
      const { apply } = await import('./configuration/command.ts');
      return apply(folder, options);
    })(),
  );

onService(
  'export',
  'Write what the organization has as YAML files. Files that say the same stay as they are, and others are replaced only with --force.',
)
  .option('--force', 'replace files that differ; comments in them are lost, tests are kept')
  .action((folder: string, options: ExportFolderOptions) =>
    toItsEnd(async () => {
      const { exportFolder } = await import('./configuration/command.ts');
      return exportFolder(folder, options);
    })(),
  );

program
  .command('config')
  .description('Print the environment variables, their defaults and limits, as a Markdown table.')
  .action(() => {
    console.log(configMarkdown());
  });

await program.parseAsync();
