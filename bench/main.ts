/**
 * `npm run bench` measures everything, prints it and writes bench/results.json. With the names of
 * sections it measures these only, and writes nothing.
 * `--share 0.01` takes a hundredth of the usual sizes. `npm run bench -- compare --with <folder>`
 * compares this build with that of another checkout (see compare/compare.ts).
 * Compare figures of one run only: a noisy machine makes two runs differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OperatorError } from '../src/platform/operator-error.ts';
import { packageRoot } from '../src/platform/package-root.ts';
import { measureAudit } from './audit.ts';
import { compare } from './compare/compare.ts';
import { runSections, type Section } from './frame/section.ts';
import { measureParked } from './parked.ts';
import { measureQueue } from './queue.ts';
import { measureReceivers } from './receivers.ts';
import { measureWeb } from './web/measure.ts';
import { measureReviewer } from './web/reviewer.ts';

/** The queue comes last, because two million requests stay in the table. */
const SECTIONS: Readonly<Record<string, Section>> = {
  parked: measureParked,
  receivers: measureReceivers,
  web: measureWeb,
  reviewer: measureReviewer,
  audit: measureAudit,
  queue: measureQueue,
};

const BESIDE = ['--with', 'door', '--with', 'floor'];

async function run(directory: string, args: readonly string[]): Promise<void> {
  if (args[0] === 'compare') {
    await compare(join(directory, 'compare'), args.slice(1));
    return;
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { share: { type: 'string', default: '1' } },
  });
  const wanted = positionals.length === 0 ? Object.keys(SECTIONS) : positionals;
  const sections = wanted.map((name): [string, Section] => {
    const section = SECTIONS[name];
    if (section) return [name, section];
    throw new OperatorError(
      `There is no section ${name}. Try compare, or some of ${Object.keys(SECTIONS).join(', ')}.`,
    );
  });
  const compared = positionals.length === 0 && (await compare(join(directory, 'compare'), BESIDE));
  const figures = await runSections(directory, { sections, share: shareOf(values.share) });
  if (!compared) return;
  const machine = { cores: cpus().length, node: process.version };
  writeFileSync(
    join(packageRoot(), 'bench/results.json'),
    `${JSON.stringify({ machine, compared, figures }, null, 2)}\n`,
  );
}

/** Of the usual sizes, for a short try. */
function shareOf(text: string): number {
  const share = Number(text);
  if (share > 0 && share <= 25) return share;
  throw new OperatorError(`--share ${text} is no number above 0 and at most 25.`);
}

/** Of `parseArgs`: an unknown option, or one without its value. */
function isParseError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
}

const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
try {
  await run(directory, process.argv.slice(2));
} catch (error) {
  if (!(error instanceof OperatorError || isParseError(error))) throw error;
  const hint = error instanceof OperatorError ? '' : '. See docs/benchmarks.md.';
  console.error(error.message.replace(/\. To specify .*/s, '') + hint);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit();
