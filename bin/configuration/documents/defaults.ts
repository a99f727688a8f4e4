/** Leaves out of documents what goes without saying: defaults, and what the service adds. */
import { parseDuration } from '../../../src/domain/durations.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../src/platform/json/exact-values.ts';
import { exactEquals } from '../../../src/platform/json/exact-values.ts';
import type { Kind } from './kinds.ts';

const NODE: ExactObject = { raise_urgency: false, standard_only: false, then: [], else: [] };
const BLOCK: ExactObject = { enabled: true, max_attempts: 1 };
const ADDED = ['snapshot_id', 'config_version', 'content_hash'];
const CONFIGS: Readonly<Record<string, ExactObject>> = {
  webhook: { on_error: 'human' },
  llm_judge: { min_confidence: 0.8, outcomes: ['approve', 'human'], include: ['arguments'] },
};

export function withoutDefaults(kind: Kind, body: ExactObject): ExactObject {
  switch (kind) {
    case 'pipelines':
      return { ...defined(body), blocks: blocksOf(body['blocks']) };
    case 'team-policies':
    case 'escalation-paths': {
      const rest = without({ ...defined(body) }, { working_hours: [] });
      return { ...rest, nodes: nodesOf(body['nodes']) };
    }
    case 'settings':
      return withDurations(defined(body), SETTINGS);
    case 'agents':
      return without(withDurations(defined(body), ['approval_window']), AGENT);
    default:
      return defined(body);
  }
}

function blocksOf(blocks: ExactValue | undefined): ExactValue {
  return items(blocks).map((block): ExactValue => {
    if (!isExactObject(block)) return block;
    const type = String(block['type']);
    const timeout = type === 'llm_judge' ? '15s' : '5s';
    const rest = without(defined(block), { ...BLOCK, timeout });
    for (const name of ADDED) Reflect.deleteProperty(rest, name);
    const { config } = block;
    if (!isExactObject(config)) return rest;
    const inner = without(defined(config), CONFIGS[type] ?? {});
    const nested = 'blocks' in inner ? { blocks: blocksOf(inner['blocks']) } : {};
    return { ...rest, config: { ...inner, ...nested } };
  });
}

function nodesOf(nodes: ExactValue | undefined): ExactValue {
  return items(nodes).map((node): ExactValue => {
    if (!isExactObject(node)) return node;
    const rest = without(defined(node), NODE);
    for (const branch of ['then', 'else']) if (branch in rest) rest[branch] = nodesOf(rest[branch]);
    return rest;
  });
}

/** The settings of an agent where its file does not name them. */
export const AGENT = { resume: 'instance', approval_window: '5m' } as const;

const SETTINGS = ['claim_timeout', 'max_api_key_lifetime', 'reauthentication_window'];

/** The service spells durations in their largest unit. */
function withDurations(body: ExactObject, names: readonly string[]): ExactObject {
  const copy = { ...body };
  for (const name of names) {
    const ms = typeof copy[name] === 'string' ? parseDuration(copy[name]) : undefined;
    if (ms === undefined || !Number.isFinite(ms)) continue;
    const unit = ms % 3_600_000 === 0 ? 'h' : ms % 60_000 === 0 ? 'm' : 's';
    const size = { h: 3_600_000, m: 60_000, s: 1_000 }[unit];
    copy[name] = `${String(ms / size)}${unit}`;
  }
  return copy;
}

const items = (value: ExactValue | undefined): readonly ExactValue[] =>
  Array.isArray(value) ? value : [];

/** A copy without members that are undefined. */
function defined(value: ExactObject): ExactObject {
  const copy: ExactObject = {};
  for (const [name, member] of Object.entries(value) as [string, ExactValue | undefined][])
    if (member !== undefined) copy[name] = member;
  return copy;
}

function without(value: ExactObject, defaults: ExactObject): ExactObject {
  for (const [name, usual] of Object.entries(defaults))
    if (name in value && exactEquals(value[name] ?? null, usual))
      Reflect.deleteProperty(value, name);
  return value;
}
