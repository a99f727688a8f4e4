/** Reads a folder of YAML files, and writes one. It never follows a link. */
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { describeFailure } from '../describe-failure.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import type { ExactObject } from '../../src/platform/json/exact-values.ts';
import {
  KINDS,
  positionOf,
  presentationKey,
  split,
  type Kind,
  type Position,
} from './documents/kinds.ts';
import { folded } from './documents/people.ts';
import { readTests, type PipelineTest } from './documents/pipeline-tests.ts';
import { readYaml, type Place, type YamlSource } from './documents/yaml-source.ts';

/** One document of the folder. */
export interface Declared {
  readonly kind: Kind;
  readonly key: string;
  /** The path in the folder, without `.yaml`: what people call it. */
  readonly name: string;
  readonly file: string;
  /** As in the file, without its tests and its team. */
  readonly body: ExactObject;
  readonly tests: readonly PipelineTest[];
  readonly placeOf: YamlSource['placeOf'];
}

/** A problem in a file. */
export interface FileFault extends Place {
  readonly file: string;
  readonly message: string;
}

export interface Folder {
  /** In the order in which they are applied. */
  readonly declared: readonly Declared[];
  readonly faults: readonly FileFault[];
}

const LONGEST_FILE = 4 * 1024 * 1024;
const MOST_FILES = 10_000;

/** Throws OperatorError for a folder that cannot be read. Whatever is wrong in it is a fault. */
export async function readFolder(folder: string): Promise<Folder> {
  const faults: FileFault[] = [];
  const declared: Declared[] = [];
  for (const path of await pathsIn(folder, faults)) {
    const file = join(folder, path);
    const report = (message: string, place: Place = { line: 1, column: 1 }): void => {
      faults.push({ file, ...place, message });
    };
    const position = positionOf(path);
    if (typeof position === 'string') {
      report(position);
      continue;
    }
    const text = await textOf(file, report);
    const document =
      text === undefined ? undefined : declare({ path, file, text, position }, report);
    if (document) declared.push(document);
  }
  faults.push(...twice(declared));
  const order = (kind: Kind): number => KINDS.indexOf(kind);
  declared.sort((a, b) => order(a.kind) - order(b.kind) || byOrganization(a, b));
  return { declared, faults };
}

/** The organization's rules are applied before those of agents, which they may overrule. */
function byOrganization(a: Declared, b: Declared): number {
  const rank = ({ kind, key }: Declared): number =>
    kind === 'pipelines' && key === 'organization' ? 0 : 1;
  return rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}

/** Paths of YAML files with `/`, sorted. Names that begin with a dot are left alone. */
async function pathsIn(folder: string, faults: FileFault[], inner = ''): Promise<string[]> {
  const entries = await readdir(join(folder, inner), { withFileTypes: true }).catch(
    (error: unknown) => {
      throw new OperatorError(`${folder} cannot be read: ${describeFailure(error)}.`);
    },
  );
  const paths: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    const isYaml = /\.ya?ml$/i.test(entry.name);
    if (entry.isDirectory()) paths.push(...(await pathsIn(folder, faults, path)));
    else if (entry.isFile() && isYaml) paths.push(path);
    else if (isYaml || entry.isSymbolicLink())
      faults.push({
        ...{ file: join(folder, path), line: 1, column: 1 },
        message: 'is no file: links are not followed',
      });
  }
  if (paths.length > MOST_FILES) throw new OperatorError(`${folder} has too many files.`);
  return paths.sort();
}

async function textOf(
  file: string,
  report: (message: string) => void,
): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    report(`cannot be read: ${describeFailure(error)}`);
  });
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > LONGEST_FILE) {
      report('is larger than 4 MiB');
      return undefined;
    }
    const bytes = await handle.readFile();
    if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
    report('is not UTF-8');
    return undefined;
  } catch (error) {
    report(`cannot be read: ${describeFailure(error)}`);
    return undefined;
  } finally {
    await handle.close();
  }
}

interface Read {
  readonly path: string;
  readonly file: string;
  readonly text: string;
  readonly position: Position;
}

function declare(
  { path, file, text, position: { kind, key } }: Read,
  report: (message: string, place?: Place) => void,
): Declared | undefined {
  const read = readYaml(text);
  if (!read.ok) {
    for (const { message, ...place } of read.faults) report(message, place);
    return undefined;
  }
  const { value, placeOf } = read.source;
  const parts = split(kind, value);
  if (!parts) {
    report('must be an object: members such as `name: …`');
    return undefined;
  }
  const { body, team } = parts;
  if (kind === 'team-policies' && (typeof team !== 'string' || team.trim() === '')) {
    report('`team` must be the name of a team', placeOf('/team'));
    return undefined;
  }
  const read_ = readTests(parts.tests);
  if (!read_.ok)
    for (const { pointer, message } of read_.issues)
      report(said(pointer, message), placeOf(pointer));
  return {
    ...{ kind, file, body, placeOf, name: path.replace(/\.yaml$/, '') },
    key: key ?? (kind === 'team-policies' ? folded(team as string) : presentationKey(body)),
    tests: read_.ok ? read_.tests : [],
  };
}

/** A message that names its member. */
export const said = (pointer: string, message: string): string =>
  pointer === '' ? message : `${pointer} ${message}`;

function twice(declared: readonly Declared[]): FileFault[] {
  const first = new Map<string, Declared>();
  return declared.flatMap((one) => {
    const id = `${one.kind} ${one.key}`;
    const other = first.get(id);
    if (!other) first.set(id, one);
    return other
      ? [{ file: one.file, line: 1, column: 1, message: `is about the same as ${other.file}` }]
      : [];
  });
}

/** Replaces a file at once, or leaves it as it was. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(draft, 'wx', 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new OperatorError(`${file} cannot be written: ${describeFailure(error)}.`);
  }
}
