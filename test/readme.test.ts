/** What README, ARCHITECTURE and CONTRIBUTING promise a newcomer: the first session runs as written, what they name is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../src/platform/package-root.ts';
import { startApp } from './support/app.ts';

const root = packageRoot();
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'] as const;
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Written by what is documented, so it need not be there yet. */
const MADE_BY_RUNNING = new Set(['bench/results.json']);
const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.countersign', 'coverage']);

/** The shell block behind the marker. */
function session(): string {
  const block = /<!-- session -->\s+```sh\n([^]*?)\n```/.exec(read('README.md'))?.[1];
  if (block === undefined) throw new Error('README.md has no session');
  return block;
}

/** As a person would, but stopped by the first command that fails. */
async function runInBash(
  script: string,
): Promise<{ code: number | null; output: string; errors: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-session-'));
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  rmSync(folder, { recursive: true, force: true });
  return { code, output, errors };
}

test("the README's first session runs as it stands: every call succeeds, and the waiting call is approved with its digits unchanged", async () => {
  const app = await startApp({ temporal: true });
  try {
    const script = session()
      .replace('http://127.0.0.1:8080', app.url)
      .replace('.countersign/bootstrap-secret', app.context.bootstrapSecretFile);
    const { code, output, errors } = await runInBash(script);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });

    const lines = output.trim().split('\n');
    const last = lines.slice(-2);
    // The person's answer and the adapter's, in either order: the wait returns as soon as the decision is made.
    for (const line of last)
      expect(line).toContain('"arguments":{"payment_id": "pay_82", "amount": 120.50}');
    const adapters = last
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((answer) => 'timeout' in answer);
    expect(adapters).toMatchObject({
      tool: 'refund_payment',
      status: 'approved',
      decision: { status: 'approved', note: 'Checked.' },
    });

    const small = lines.find((line) => line.includes('pay_81')) ?? '';
    expect(small).toContain('"amount": 12.50');
    expect(JSON.parse(small)).toMatchObject({
      status: 'approved',
      decision: { note: 'Under 100.' },
    });
  } finally {
    await app.close();
  }
}, 60_000);

/** Every file and folder of the repository, with a slash behind folders. */
function everyPath(): string[] {
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => folder !== '' || !NOT_OURS.has(name))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? [`${path}/`, ...walk(path)] : [path];
      });
  return walk('');
}

/** What a document means as a path: targets of links, and words in code that look like a file or folder of ours. */
function namedPaths(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[^]*?^```/gm, '');
  const links = [...prose.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target = '']) => target);
  const words = [...prose.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/\s+/));
  const files = words.filter((word) =>
    /^[\w.-]+(\/[\w.-]+)*\.(ts|js|json|md|yml|yaml|sql|sh|mod)$/.test(word),
  );
  const folders = words.filter((word) => /^[\w.-]+(\/[\w.-]+)*\/$/.test(word));
  const scripts = words.filter(
    (word) =>
      /^\.?[\w-]+(\/[\w.-]+)+$/.test(word) && existsSync(join(root, word.split('/', 1)[0] ?? '')),
  );
  return [...new Set([...links, ...files, ...folders, ...scripts])];
}

describe.each(DOCUMENTS)('%s', (document) => {
  test('names only commands that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(document).matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only files and folders that are there', () => {
    const all = everyPath();
    // Folders with or without their slash, modules with or without their extension, files of a folder that is told.
    const known = new Set([
      ...all,
      ...all.map((path) => path.replace(/(\/|\.ts)$/, '')),
      ...all.map((path) => basename(path)),
    ]);
    const named = namedPaths(read(document)).filter((path) => !MADE_BY_RUNNING.has(path));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !known.has(path))).toEqual([]);
  });
});
