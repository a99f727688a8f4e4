/** Rules of the documents, tried with calls that mean harm: none of these examples may approve one. */
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { appForFile } from '../support/scene.ts';
import { createOrganization } from '../support/scene/factories.ts';
import { ORGANIZATION } from '../support/scene/request-approval-pipelines.ts';
import { fencesOf, readDocument } from './documents.ts';

const app = await appForFile();
const { owner } = await createOrganization(app);

interface Sample {
  readonly tool: string;
  readonly server?: string;
  readonly arguments: object;
}

interface Block {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: object;
}

interface Pipeline {
  readonly blocks: readonly Block[];
}

const GUIDE = readDocument('docs/guides/rules.md');

function fileOf(name: string): Pipeline {
  const fence = fencesOf(GUIDE).find(({ mark }) => mark === `file=${name}`);
  return JSON.parse(fence?.text ?? '') as Pipeline;
}

/** What a command of the document posts as a revision. */
function postedIn(document: string): Pipeline {
  const [, body = ''] = /-d '(\{"blocks": \[\{[^']*)'/.exec(readDocument(document)) ?? [];
  return JSON.parse(body) as Pipeline;
}

async function outcomeOf({ blocks }: Pipeline, call: Sample): Promise<unknown> {
  const sample = { request: call, agent: { slug: 'report-bot', name: 'Report bot' } };
  const { body } = await owner.http.post(`${ORGANIZATION}/preview`, { blocks, sample });
  return body['outcome'];
}

const mail = (recipients: unknown, more: object = {}, server = 'reports') => ({
  ...{ tool: 'export_report', server },
  arguments: { recipients, ...more },
});
const refund = (args: object) => ({ tool: 'refund_payment', arguments: args });
const run = (command: unknown, more: object = {}) => ({
  tool: 'run_command',
  arguments: { command, ...more },
});

const OURS = 'ada@example.com';
const REFUNDS = [{ amount: -1 }, { amount: -1_000_000 }, { amount: 0 }, { amount: '12' }].map(
  (args) => refund({ currency: 'EUR', ...args }),
);

const EXAMPLES: readonly {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly harmless: Sample;
  readonly hostile: readonly Sample[];
}[] = [
  {
    name: 'exports to our own addresses',
    pipeline: fileOf('pipeline.json'),
    harmless: mail([OURS, 'bob.b+x@example.com']),
    hostile: [
      ...['eve@elsewhere.example,x@example.com', 'eve@elsewhere.example x@example.com'],
      ...['eve@elsewhere.example;x@example.com', '<eve@elsewhere.example>@example.com'],
      ...['eve@elsewhere.example\nx@example.com', '"eve@elsewhere.example" x@example.com'],
      ...['x@example.com\n', '\nx@example.com', 'x@example.com.elsewhere.example', '@example.com'],
      ...['eve@elsewhere.example\u2028x@example.com', 'x@evilexample.com', 'x@example-com'],
      'eve%elsewhere.example@example.com',
      'eve!elsewhere@example.com',
    ]
      .map((address) => mail([OURS, address]))
      .concat([
        mail([OURS, ['eve@elsewhere.example']]),
        mail(OURS),
        mail([]),
        mail([OURS], { bcc: ['eve@elsewhere.example'] }),
        mail([OURS], {}, 'elsewhere'),
      ]),
  },
  {
    name: 'the refund limit',
    pipeline: fileOf('refund-limit.json'),
    harmless: refund({ amount: 99.5, currency: 'EUR' }),
    hostile: [
      ...REFUNDS,
      refund({ amount: 90, currency: 'USD' }),
      refund({ amount: 90 }),
      refund({ amount: [90], currency: 'EUR' }),
      { tool: 'refund_payments', arguments: { amount: 90, currency: 'EUR' } },
    ],
  },
  {
    name: 'commands of a shell',
    pipeline: fileOf('commands.json'),
    harmless: run('git diff src/main.ts'),
    hostile: [
      ...['git status; rm -rf /', 'git status\nrm -rf /', 'git status && rm x', 'git status\n'],
      ...['git diff $(rm x)', 'git diff `rm x`', 'git diff a|sh', 'git diff a > b', 'git  status'],
      ...[
        'x; git status',
        '\ngit status',
        'git diff --output=x',
        'git diff --ext-diff',
        'GIT STATUS',
      ],
      ...[
        'git diff ../x',
        'git diff /etc/shadow',
        'git diff a\u2028rm',
        'git status\r',
        'ls ~',
        '',
      ],
      ...['git diff -h', 'git status2', 'git push', 'ls a b', 'git diff a\\\nrm', 'git diff *'],
    ]
      .map((command): Sample => run(command))
      .concat([
        run(['git status']),
        run('git status', { cwd: '/tmp/elsewhere' }),
        run('git status', { env: { GIT_EXTERNAL_DIFF: 'rm' } }),
        { tool: 'run_command', arguments: {} },
      ]),
  },
  {
    name: 'regions',
    pipeline: fileOf('regions.json'),
    harmless: { tool: 'store', arguments: { region: 'eu-west-1' } },
    hostile: [
      { tool: 'store', arguments: {} },
      { tool: 'store', arguments: { region: 'us-east-1' } },
      { tool: 'store', arguments: { region: null } },
      { tool: 'store', arguments: { region: ['eu-west-1'] } },
    ],
  },
  {
    name: 'the first rule of the quickstart',
    pipeline: postedIn('docs/quickstart.md'),
    harmless: refund({ amount: 12.5 }),
    hostile: [...REFUNDS, { tool: 'wire_transfer', arguments: { amount: 12 } }],
  },
];

describe.each(EXAMPLES)('$name', ({ pipeline, harmless, hostile }) => {
  test('passes what it is for', async () => {
    expect(await outcomeOf(pipeline, harmless)).toBe('approve');
  });

  test.each(hostile.map((call) => [JSON.stringify(call), call] as const))(
    'does not approve %s',
    async (_text, call) => {
      expect(['human', 'deny']).toContain(await outcomeOf(pipeline, call));
    },
  );

  test('has nothing to be warned of', async () => {
    const sample = { request: harmless, agent: { slug: 'report-bot', name: 'Report bot' } };
    const { body } = await owner.http.post(`${ORGANIZATION}/preview`, { ...pipeline, sample });
    expect(body['warnings']).toEqual([]);
  });
});

describe('the examples of the API reference', () => {
  const blocksIn = (value: unknown): readonly Block[] => {
    if (typeof value !== 'object' || value === null) return [];
    const isBlock = 'type' in value && value.type === 'cel' && 'config' in value;
    return isBlock ? [value as unknown as Block] : Object.values(value).flatMap(blocksIn);
  };

  test('approve no call that means harm', async () => {
    const blocks = blocksIn(openApiDocument(endpoints));
    expect(blocks.length).toBeGreaterThan(3);
    const texts = new Set(
      blocks.map(({ id, name, type, config }) => JSON.stringify({ id, name, type, config })),
    );
    for (const text of texts)
      for (const call of [...REFUNDS, { tool: 'wire_transfer', arguments: { amount: 20 } }]) {
        const pipeline = { blocks: [JSON.parse(text) as Block] };
        expect(['human', 'deny']).toContain(await outcomeOf(pipeline, call));
      }
  });
});
