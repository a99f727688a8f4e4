/** The kinds of documents in a folder: where each lies, what it may contain, and in which order they are applied. */
import { createHash } from 'node:crypto';
import { KEY_PATTERN, KEY_RULE } from '../../../src/domain/keys.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';

/** In the order of dependence: what is named comes before what names it. */
export const KINDS = [
  'settings',
  'agents',
  'webhook-endpoints',
  'team-policies',
  'escalation-paths',
  'pipelines',
  'presentations',
] as const;

export type Kind = (typeof KINDS)[number];

/** Where a file lies. `key` is undefined where the document itself says what it is of. */
export interface Position {
  readonly kind: Kind;
  readonly key: string | undefined;
}

const KEYED: readonly Kind[] = ['agents', 'webhook-endpoints', 'escalation-paths'];
const NAMED: readonly Kind[] = ['team-policies', 'presentations'];

/** What a file is, by its path in the folder; text for people where it cannot be anything. */
export function positionOf(path: string): Position | string {
  const name = path.replace(/\.yaml$/, '');
  if (name === path) return 'end the name with .yaml';
  const parts = name.split('/');
  const [folder = '', key = '', inner] = parts;
  if (name === 'settings') return { kind: 'settings', key: '' };
  if (name === 'pipelines/organization') return { kind: 'pipelines', key: 'organization' };
  if (folder === 'pipelines' && key === 'agents' && parts.length === 3)
    return keyed('pipelines', `agents/${inner ?? ''}`, inner ?? '');
  const kind = KINDS.find((one) => one === folder);
  if (kind && KEYED.includes(kind) && parts.length === 2) return keyed(kind, key, key);
  if (kind && NAMED.includes(kind) && parts.length === 2) return { kind, key: undefined };
  return 'has no place here: there are settings.yaml, pipelines/organization.yaml, pipelines/agents/<agent>.yaml, and files in agents, webhook-endpoints, team-policies, escalation-paths and presentations';
}

function keyed(kind: Kind, key: string, written: string): Position | string {
  return KEY_PATTERN.test(written) ? { kind, key } : `its name must ${KEY_RULE}`;
}

/** What a document of a presentation is of. */
export const presentationKey = (entry: ExactObject): string =>
  JSON.stringify([entry['server'] ?? null, entry['tool'] ?? null]);

/** Without `.yaml`. `taken` are names of other documents of the kind. */
export function fileNameOf(kind: Kind, key: string, taken: ReadonlySet<string>): string {
  if (kind === 'settings') return kind;
  if (!NAMED.includes(kind)) return `${kind}/${key}`;
  const words = kind === 'presentations' ? (JSON.parse(key) as (string | null)[]) : [key];
  const slug = words
    .filter((word) => word !== null)
    .join('.')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63);
  const name = `${kind}/${slug === '' ? 'other' : slug}`;
  if (!taken.has(name)) return name;
  return `${name}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}

/** What a file says besides its document: of which team it is, and the tests of a pipeline. */
export interface Split {
  readonly body: ExactObject;
  readonly team?: ExactValue | undefined;
  readonly tests?: ExactValue | undefined;
}

export function split(kind: Kind, value: ExactValue): Split | undefined {
  if (!isExactObject(value)) return undefined;
  const body = Object.create(null) as ExactObject;
  const extra = kind === 'team-policies' ? 'team' : kind === 'pipelines' ? 'tests' : undefined;
  for (const name of Object.keys(value)) if (name !== extra) body[name] = value[name] ?? null;
  return { body, ...(extra !== undefined && { [extra]: value[extra] }) };
}
