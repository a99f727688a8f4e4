/** The package for Python: its types and its format, what is of Python only, and how it builds and installs. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { execute, runPython } from '../../support/python.ts';
import { pythonEnvironment } from '../../support/run/python.ts';
import { startBrokenServer, type BrokenServer } from '../../support/servers/broken-server.ts';

const root = packageRoot();
const environment = pythonEnvironment();
/** Says what Python said if it fails. */
const passes = async (...given: Parameters<typeof runPython>) => {
  const { code, output } = await runPython(...given);
  expect(code === 0 ? '' : output).toBe('');
};

(environment === undefined ? describe.skip : describe)('the SDK for Python', () => {
  let server: BrokenServer;
  let folder: string;
  let decision: 'approved' | 'denied' = 'approved';
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startBrokenServer({
      spoil: (reply, { operation }) => {
        const { id, tool } = JSON.parse(reply.body.toString()) as Record<string, string>;
        // A person decides.
        if (operation === 'create' && id && tool === 'refund_payment')
          setImmediate(() => {
            server.decide(id, decision);
          });
        return reply;
      },
    });
    folder = mkdtempSync(join(tmpdir(), 'countersign-python-'));
    const url = server.baseUrl.replace(/\/api\/aap$/, '');
    env = { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: server.credential };
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is typed and formatted', async () => {
    const all = ['--config', 'pyproject.toml', '.', '../../test/sdk', '../../examples'];
    for (const check of [['mypy'], ['ruff', 'check'], ['ruff', 'format', '--check', ...all]])
      await passes(['-m', ...check]);
  });

  test.each([
    'own',
    'parked',
    'starts',
    'graphs',
    'durable',
    'hooks',
    'environment',
    'tasks',
    'greenlets',
  ])('does what only Python asks of it: %s', async (name) => {
    const program = join(root, `test/sdk/python/${name}.py`);
    await passes(['-W', 'error::RuntimeWarning', program], env);
  });

  test('builds, installs into an empty environment, and gates a tool in a program of its own', async () => {
    const at = (...path: string[]) => join(folder, ...path);
    await passes(['-m', 'hatchling', 'build', '-d', at('dist')]);
    expect(readdirSync(at('dist')).sort()).toEqual([
      'countersign_sdk-0.1.0-py3-none-any.whl',
      'countersign_sdk-0.1.0.tar.gz',
    ]);
    const source = at('dist/countersign_sdk-0.1.0.tar.gz');
    await execute('tar', ['-xzf', source, '-C', folder]);
    // What is in the source package makes the same package.
    const again = ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', at('again')];
    await passes(again, {}, at('countersign_sdk-0.1.0'));

    await passes(['-m', 'venv', '--without-pip', at('empty')]);
    const python = at('empty/bin/python');
    const install = ['-m', 'pip', '--python', python, 'install', '--quiet', '--no-input'];
    const wheels = ['--no-index', '--find-links', join(environment ?? '', 'wheels')];
    await passes([...install, ...wheels, at('again/countersign_sdk-0.1.0-py3-none-any.whl')]);

    const refund = async (more: Record<string, string> = {}) => {
      const program = join(root, 'examples/gated-tool/refund.py');
      return await execute(python, ['-I', program], { ...env, HOME: folder, ...more });
    };
    expect(await refund()).toEqual({ code: 0, output: 'refunded 12.50 of pay_81\n' });
    decision = 'denied';
    expect(await refund()).toEqual({
      code: 1,
      output: expect.stringMatching(/denied this call.*Because\.\n$/),
    });
    expect(await refund({ COUNTERSIGN_TOKEN: 'whc_wrong' })).toEqual({
      code: 1,
      output: expect.stringMatching(/did not respond, so this call did not run/),
    });
  });
});
