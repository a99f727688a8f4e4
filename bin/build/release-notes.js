/**
 * Prints what CHANGELOG.md of this folder says about the version of a tag. Fails unless all packages have that version. Links lead
 * to the files of the tag, because a release on GitHub is no file beside them.
 */
import { readFileSync } from 'node:fs';

const FILES = ['package.json', 'sdk/typescript/package.json', 'sdk/hook/package.json'];
const PYTHON = 'sdk/python/pyproject.toml';

const read = (path) => readFileSync(path, 'utf8');
const fail = (message) => {
  console.error(message);
  process.exit(1);
};

const [tag, version] = /^v(\d+\.\d+\.\d+)$/.exec(process.argv[2] ?? '') ?? [];
if (tag === undefined) fail('Give a tag such as v1.2.3.');

const versions = FILES.map((path) => [path, JSON.parse(read(path)).version]);
versions.push([PYTHON, /^version = "(.+)"$/m.exec(read(PYTHON))?.[1]]);
for (const [path, has] of versions)
  if (has !== version) fail(`${path} has version ${has}: set it to ${version}, or tag v${has}.`);

const sections = read('CHANGELOG.md').split(/^(?=## )/m);
const heading = /^## \[(.+)\] - \d{4}-\d\d-\d\d\n/;
const notes = sections
  .find((section) => heading.exec(section)?.[1] === version)
  ?.replace(heading, '');
if (notes === undefined)
  fail(`CHANGELOG.md has no section for ${version} with a date: "## [${version}] - 2026-01-31".`);

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const files = GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/${tag}/` : '';
console.log(notes.trim().replaceAll(/\]\((?!https?:)/g, `](${files}`));
