import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configMarkdown } from '../../src/platform/config-table.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { runCommand } from './processes.ts';

const NOWHERE = '/nonexistent/countersign';

test('explains itself and each of its commands', () => {
  const overview = runCommand(['--help'], NOWHERE).stdout;
  for (const name of [
    'start',
    'api',
    'worker',
    'migrate',
    'bootstrap',
    'enroll',
    'rotate-secrets',
    'recover-owner',
    'export-audit',
    'verify-audit',
    'plan',
    'apply',
    'export',
    'config',
  ])
    expect(overview).toMatch(new RegExp(`\n  ${name} .*  [A-Z]`));
  const { status, stdout, stderr } = runCommand(['rotate-secrets', '--help'], NOWHERE);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: countersign rotate-secrets \[options\]\n\n\S[^]*--new-key/);
});

test('says its version', () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(runCommand(['--version'], NOWHERE).stdout).toBe(`${version}\n`);
});

test('a wrong value stops the start with its own exit code, the variable and the allowed values', () => {
  const { status, stdout, stderr } = runCommand(['start'], NOWHERE, { env: { PORT: 'http' } });
  expect([status, stdout, stderr]).toEqual([
    78,
    '',
    'PORT must be a whole number from 0 to 65535.\n',
  ]);
});

test('the parts of a deployment require the servers that they cannot start', () => {
  const { status, stderr } = runCommand(['api'], NOWHERE);
  expect(status).toBe(78);
  expect(stderr).toMatch(
    /^DATABASE_URL must be set for `api`: .*\nTEMPORAL_ADDRESS must be set for `api`: .*\n$/,
  );
});

const WRONG_TLS = {
  DATABASE_URL: 'postgres://127.0.0.1:9/countersign',
  TEMPORAL_ADDRESS: '127.0.0.1:9',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/none/ca.pem',
};
const TLS_SENTENCE = /^TLS to Temporal cannot be set up: .*\/none\/ca\.pem.*\.$/;

test.each(['api', 'worker'])(
  '%s ends with one sentence about TLS to Temporal, before it asks any server',
  (command) => {
    const { status, stderr } = runCommand([command], NOWHERE, { env: WRONG_TLS });
    expect(stderr.trimEnd()).toMatch(TLS_SENTENCE);
    expect(status).toBe(78);
  },
);

test('so does start, before it starts any server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));
  try {
    const { status, stdout, stderr } = runCommand(['start'], folder, { env: WRONG_TLS });
    const [, ...said] = `${stdout}${stderr}`.trimEnd().split('Countersign cannot go on: ');
    expect(said).toEqual([expect.stringMatching(TLS_SENTENCE)]);
    expect(status).toBe(78);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an unknown command is refused with the help', () => {
  const { status, stderr } = runCommand(['strat'], NOWHERE);
  expect(status).toBe(1);
  expect(stderr).toMatch(/unknown command 'strat'[^]*Did you mean start\?[^]*Usage:/);
});

test('bootstrap reports where it looked for the secret', () => {
  const people = [
    '--organization',
    'Acme',
    '--name',
    'Ada',
    '--email',
    'ada@example.com',
    '--url',
    'http://127.0.0.1:9',
  ];
  const { status, stderr } = runCommand(['bootstrap', ...people], NOWHERE);
  expect(status).toBe(1);
  expect(stderr).toContain(`${NOWHERE}/bootstrap-secret`);
});

test('config prints the table of docs/operations/configuration.md', () => {
  expect(runCommand(['config'], NOWHERE).stdout).toBe(`${configMarkdown()}\n`);
});
