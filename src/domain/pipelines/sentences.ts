/** A block as a person reads it: `Deny when amount is more than 500`. A pure function of the document. */
import { stringifyExact } from '../../platform/json/exact-json.ts';
import { conditionText, valueText } from '../conditions/sentences.ts';
import type { Block, BlockOutcome, StoredBlock } from './types.ts';

type AnyBlock = Block | StoredBlock;

const ACTS: Readonly<Record<BlockOutcome, string>> = {
  approve: 'approve',
  deny: 'deny',
  human: 'ask a person',
  next: 'go on to the next block',
};

/** What it does with a request that meets it. It does not say its reason, nor what blocks in it do. */
export function blockSentence(block: AnyBlock): string {
  const text = sentenceOf(block);
  return block.enabled ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : `Disabled: ${text}`;
}

function sentenceOf(block: AnyBlock): string {
  switch (block.type) {
    case 'always': {
      const { outcome, escalation_path: path } = block.config;
      const object = outcome === 'human' ? 'about every request' : 'every request';
      return `${ACTS[outcome]} ${object}${through(path)}`;
    }
    case 'cel': {
      const { on_match: outcome, when, escalation_path: path } = block.config;
      return `${ACTS[outcome]}${through(path)} when ${conditionText(when)}`;
    }
    case 'branch': {
      const { when, blocks, escalation_path: path } = block.config;
      const inside = blocks.length === 1 ? 'the block' : `the ${blocks.length} blocks`;
      return `when ${conditionText(when)}, only ${inside} in it can decide; otherwise ask a person${through(path)}`;
    }
    case 'webhook': {
      const { endpoint_key: key, on_error: otherwise, escalation_path: path } = block.config;
      const failed = otherwise === 'human' ? `${ACTS.human}${through(path)}` : ACTS[otherwise];
      return `ask the webhook endpoint ${key}; without a valid result, ${failed}`;
    }
    case 'llm_judge': {
      const { model, outcomes, min_confidence: least, escalation_path: path } = block.config;
      const judge =
        model === undefined ? 'the language model' : `the language model ${valueText(model)}`;
      const choices = outcomes.map((outcome) => ACTS[outcome]).join(', ');
      return `let ${judge} choose among: ${choices}; with a confidence below ${stringifyExact(least)} or without a valid result, ${ACTS.human}${through(path)}`;
    }
  }
}

const through = (path: string | undefined): string =>
  path === undefined ? '' : ` on the path ${path}`;
