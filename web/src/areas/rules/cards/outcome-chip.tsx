/** What a rule does, as one word. */
import { Badge, type Tone } from '../../../shared/design/marks/badge.tsx';
import type { Block } from '../../../../../src/domain/pipelines/types.ts';
import { rules as text } from '../text.ts';

const TONES: Readonly<Record<string, Tone>> = {
  approve: 'good',
  deny: 'strong',
  human: 'outline',
};

export type Outcome = keyof typeof text.outcomes;

export function outcomeOf(block: Block): Outcome {
  if (block.type === 'always') return block.config.outcome;
  return block.type === 'cel' ? block.config.on_match : block.type;
}

export function OutcomeChip({ outcome }: { readonly outcome: Outcome }) {
  return <Badge tone={TONES[outcome] ?? 'dashed'}>{text.outcomes[outcome]}</Badge>;
}
