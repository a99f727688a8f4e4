/**
 * Checks sentences with Vale: documents as they are, and the texts of the web app, the error catalogue and the API description as
 * copies that keep their lines. The rules are in .vale, and docs/contributing/style.md explains them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import ts from 'typescript';
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { goTool, notChecked } from './go-tool.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Decision records and benchmarks keep the words of their time. A license is not ours to edit. */
const DOCUMENT = /^(?!docs\/adr\/|docs\/benchmarks|test\/|web\/LICENSES).*\.md$/;
const TEXTS = /^web\/src\/(.*\/text|shared\/text\/.*)\.ts$|^src\/domain\/error-catalogue\.ts$/;
const API = 'api/openapi.yaml';

/** The string literals of a module, each on its own line of the module. */
function literalsOf(name, source) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const lines = source.split('\n').map(() => '');
  const collect = (node) => {
    const isSpecifier = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    if (isSpecifier) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      node
        .getText()
        .slice(1, -1)
        // A label ends like a sentence, so that it does not run into the next one.
        .replace(/[\w)%”]$/, '$&.')
        // A value that a template inserts is a noun in the sentence.
        .replaceAll(/\$\{[^{}]*(\{[^{}]*\}[^{}]*)*\}/g, 'Value')
        .split('\n')
        .forEach((text, index) => {
          lines[line + index] += `${text} `;
        });
    } else ts.forEachChild(node, collect);
  };
  collect(file);
  return lines.join('\n');
}

/** The summaries and descriptions of an API description, each on its own lines. */
function descriptionsOf(yaml) {
  const lines = yaml.split('\n').map(() => '');
  const counter = new LineCounter();
  visit(parseDocument(yaml, { lineCounter: counter }), {
    Pair(_, { key, value }) {
      if (!['summary', 'description'].includes(key?.value) || !isScalar(value)) return;
      const [from, to] = value.range;
      const { line } = counter.linePos(from);
      const text = yaml
        .slice(from, to)
        .replace(/^(["']|[>|][+-]?\n)/, (mark) => mark.replace(/\S/g, ''));
      text
        .replaceAll(/`[^`]*`/g, 'Value')
        .split('\n')
        .forEach((each, index) => (lines[line - 1 + index] = each.trim()));
    },
  });
  return lines.join('\n');
}

function check(vale) {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split(
    '\0',
  );
  const copies = mkdtempSync(join(tmpdir(), 'countersign-prose-'));
  try {
    const write = (name, text) => {
      const copy = join(copies, `${name}${name === API ? '.md' : '.txt'}`);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, text);
    };
    const sourceOf = (name) => readFileSync(join(root, name), 'utf8');
    for (const name of files.filter((each) => TEXTS.test(each)))
      write(name, literalsOf(name, sourceOf(name)));
    write(API, descriptionsOf(sourceOf(API)));
    const documents = files.filter((name) => DOCUMENT.test(name));
    const run = spawnSync(
      vale,
      ['--config', '.vale/vale.ini', '--output', 'line', ...documents, copies],
      { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    process.stdout.write(
      run.stdout
        .replaceAll(`${copies}/`, '')
        .replaceAll(/^([^:]*\.(?:ts|yaml))\.(?:txt|md):/gm, '$1:'),
    );
    process.stderr.write(run.stderr);
    return run.status ?? 1;
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

const { path, why } = goTool('vale');
if (path === undefined) notChecked('Sentences', why);
else process.exitCode = check(path);
