/** Writes what the service has as files. Files that already say the same stay as they are, comments included. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseExact, stringifyExact } from '../../src/platform/json/exact-json.ts';
import type { ExactObject } from '../../src/platform/json/exact-values.ts';
import { OperatorError } from '../../src/platform/operator-error.ts';
import { differencesOf } from './documents/differences.ts';
import { fileNameOf, KINDS } from './documents/kinds.ts';
import { normal, partOf } from './documents/normal.ts';
import { numberedIds, shortIdsIn, visitNodes } from './documents/node-ids.ts';
import { withIds, withNames } from './documents/people.ts';
import { yamlText } from './documents/yaml-text.ts';
import { readFolder, writeWhole, type Declared } from './folder.ts';
import { readLive, type Live, type LiveDocument } from './live.ts';
import type { Service } from './service.ts';

export interface Exported {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  /** Files that differ and were not replaced. */
  readonly kept: readonly string[];
  /** Files of what the service does not have. */
  readonly others: readonly string[];
}

/** `force` replaces files that differ. */
export async function exportTo(
  service: Service,
  folder: string,
  { force }: { readonly force: boolean },
): Promise<Exported> {
  const { declared, faults } = existsSync(folder)
    ? await readFolder(folder)
    : { declared: [], faults: [] };
  const [fault] = faults;
  if (fault)
    throw new OperatorError(
      `${fault.file}:${String(fault.line)}:${String(fault.column)}: ${fault.message}. Correct it, or export to another folder.`,
    );
  const live = await readLive(service, new Set(KINDS), { people: true });
  const result = { written: [] as string[], unchanged: [] as string[], kept: [] as string[] };
  const taken = new Set(declared.map(({ name }) => name));
  const seen = new Set<Declared>();
  for (const document of live.documents) {
    const current = document.isArchived ? undefined : await document.read();
    if (!current) continue;
    const own = declared.find(({ kind, key }) => kind === document.kind && key === document.key);
    if (own) seen.add(own);
    const name = own?.name ?? nameIn(taken, document);
    taken.add(name);
    const file = join(folder, `${name}.yaml`);
    if (own && isSame(own, current.body, live)) {
      result.unchanged.push(file);
    } else if (own && !force) {
      result.kept.push(file);
    } else {
      await writeWhole(file, yamlText(fileValue(document, { body: current.body, own, live })));
      result.written.push(file);
    }
  }
  return { ...result, others: declared.filter((one) => !seen.has(one)).map(({ file }) => file) };
}

const nameIn = (taken: ReadonlySet<string>, { kind, key, name }: LiveDocument): string =>
  taken.has(name) ? fileNameOf(kind, key, taken) : name;

function isSame({ kind, key, body }: Declared, current: ExactObject, { directory }: Live): boolean {
  const { value, issues } = withIds(body, `${kind}/${key}`, directory);
  const read = normal(kind, value);
  if (issues.length > 0 || !read.ok) return false;
  return differencesOf(partOf(kind, current, read.value), read.value).length === 0;
}

interface Exporting {
  readonly body: ExactObject;
  readonly own: Declared | undefined;
  readonly live: Live;
}

function fileValue(
  { kind, key, title }: LiveDocument,
  { body, own, live }: Exporting,
): ExactObject {
  if (kind === 'agents') {
    const { status, ...rest } = body;
    return { ...rest, ...(status === 'disabled' && { status }) };
  }
  if (kind === 'pipelines')
    return { ...body, ...(own && own.tests.length > 0 && { tests: testsOf(own) }) };
  if (kind !== 'team-policies' && kind !== 'escalation-paths') return body;
  const document = `${kind}/${key}`;
  let count = 0;
  visitNodes(body['nodes'], '', () => {
    count += 1;
  });
  const shortIds = new Map([
    ...numberedIds(document, count),
    ...(own ? shortIdsIn(document, own.body) : []),
  ]);
  const named = withNames(body, shortIds, live.directory);
  return kind === 'team-policies' ? { team: title ?? key, ...named } : named;
}

/** The service has no tests, so those of the file stay. */
const testsOf = ({ tests }: Declared) => parseExact(stringifyExact(tests), { spelled: true });
