/** What is wrong with a step as a whole, where no field of its card says it. */
import { isWithin } from '../../../shared/editor/json-places.ts';
import type { NodeView } from '../document/read-path.ts';
import { useMayEdit } from './path-editing.ts';
import cards from '../cards/cards.module.css';

/** Of each kind of step: the members whose fields say what is wrong with them. Steps in branches have their own cards. */
const AT_FIELDS: Readonly<Record<NodeView['type'], readonly string[]>> = {
  level: ['targets', 'escalate_after'],
  defer: [],
  if_else: ['conditions/', 'then/', 'else/'],
  locked: [],
};

export function NodeProblems({ node }: { readonly node: NodeView }) {
  const problems = useMayEdit()?.problems ?? [];
  const { pointer, type } = node;
  const own = problems.filter(
    (problem) =>
      isWithin(problem.pointer, pointer) &&
      !AT_FIELDS[type].some((member) => problem.pointer.startsWith(`${pointer}/${member}`)),
  );
  return own.map((problem) => (
    <p key={problem.pointer} className={cards['problem']} role="alert">
      {problem.message}
    </p>
  ));
}
