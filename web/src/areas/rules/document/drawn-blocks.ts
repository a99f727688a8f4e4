/**
 * Which blocks the builder can draw. It reads what someone wrote as it is, and gives up with a reason where it
 * finds what it does not know: that part stays JSON.
 */
import type { Block } from '../../../../../src/domain/pipelines/types.ts';
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../../../../src/platform/json/exact-values.ts';
import { drawnCondition, type Drawn } from '../../../shared/conditions/drawn-condition.ts';
import { rules as text } from '../text.ts';

const OUTCOMES = ['approve', 'deny', 'human', 'next'];

const isText = (value: ExactValue | undefined): value is string => typeof value === 'string';
const isTextOrAbsent = (value: ExactValue | undefined): boolean =>
  value === undefined || isText(value);

/** The block with what a missing member means. Blocks in a branch are drawn on their own. */
export function drawnBlock(value: ExactValue | undefined): Drawn<Block> {
  if (!isExactObject(value)) return { reason: text.stays.noObject };
  const { id, name, type, enabled = true, config } = value;
  if (!isText(id) || !isText(name)) return { reason: text.stays.noName };
  if (!isText(type) || !Object.hasOwn(CONFIGS, type)) return { reason: text.stays.type };
  if (typeof enabled !== 'boolean') return { reason: text.stays.enabled };
  if (!isExactObject(config)) return { reason: text.stays.noConfig };
  if (!isTextOrAbsent(config['escalation_path'])) return { reason: text.stays.path };
  if (!isTextOrAbsent(config['reason'])) return { reason: text.stays.reason };
  const reason = CONFIGS[type]?.(config);
  if (reason !== undefined) return { reason };
  const read = { ...value, enabled, config: { ...DEFAULTS[type], ...config } };
  return { value: read as unknown as Block };
}

const DEFAULTS: Readonly<Record<string, object>> = {
  webhook: { on_error: 'human' },
  llm_judge: { outcomes: ['approve', 'human'], min_confidence: 0.8, include: ['arguments'] },
};

/** By type, why a config cannot be drawn. */
const CONFIGS: Readonly<Record<string, (config: ExactObject) => string | undefined>> = {
  always: ({ outcome }) =>
    isText(outcome) && OUTCOMES.includes(outcome) ? undefined : text.stays.outcome,
  cel: ({ on_match: outcome, when }) =>
    isText(outcome) && OUTCOMES.includes(outcome)
      ? drawnCondition(when).reason
      : text.stays.outcome,
  branch: ({ when, blocks }) =>
    Array.isArray(blocks) ? drawnCondition(when).reason : text.stays.noBlocks,
  webhook: ({ endpoint_key: key, on_error: otherwise = 'human' }) =>
    isText(key) && (otherwise === 'human' || otherwise === 'deny') ? undefined : text.stays.webhook,
  llm_judge: (config) => {
    const { policy, outcomes = [], min_confidence: least = 0, include = [] } = config;
    const areLists = [outcomes, include].every((each) => Array.isArray(each) && each.every(isText));
    const isNumber = typeof least === 'number' || typeof least === 'object';
    return isText(policy) && areLists && isNumber && isTextOrAbsent(config['model'])
      ? undefined
      : text.stays.judge;
  },
};
