/** The state of an agent in a word. */
import { Badge, StateMark, type StateTone } from '../../../shared/design/marks/badge.tsx';
import type { AgentDetail, ListedAgent } from '../agents-data.ts';
import { agentState, type AgentState } from '../states.ts';
import { agents as text } from '../text.ts';

const TONES: Readonly<Record<AgentState, StateTone>> = {
  live: 'good',
  unconnected: 'plain',
  cut: 'danger',
  paused: 'warn',
  archived: 'plain',
};

/** The credentials of the demo agent end soon, and that is no trouble. */
const IN_DEMO: readonly AgentState[] = ['paused', 'archived'];

export function AgentMark({ agent }: { readonly agent: ListedAgent | AgentDetail }) {
  const state = agentState(agent);
  const mark = <StateMark tone={TONES[state]}>{text.states[state]}</StateMark>;
  if (!agent.demo) return mark;
  return (
    <>
      <Badge tone="dashed">{text.demo}</Badge> {IN_DEMO.includes(state) && mark}
    </>
  );
}
