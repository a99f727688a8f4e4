/** The figures of the last week, before rules are activated. */
import note from '../../../shared/design/note.module.css';
import { countOf, sinceOf, type Impact } from './impact.ts';
import { outcomes as text } from './text.ts';
import classes from './outcomes.module.css';

export function ImpactNote({ impact }: { readonly impact: Impact }) {
  if (impact.isPending) return <p role="status">{text.working}</p>;
  if (impact.isError || !impact.simulation) return <p className={classes['hint']}>{text.failed}</p>;
  return (
    <p className={note['note']} role="status">
      <Figures simulation={impact.simulation} />
    </p>
  );
}

/** The one that matters most comes first. */
export function Figures({
  simulation,
}: {
  readonly simulation: Pick<
    NonNullable<Impact['simulation']>,
    'by_change' | 'ends_at' | 'evaluated' | 'same' | 'undetermined'
  >;
}) {
  const { evaluated, same, undetermined } = simulation;
  const since = sinceOf(simulation);
  if (evaluated === 0) return text.noneYet;
  const parts = [
    text.would.approve(countOf(simulation, 'approve')),
    text.would.deny(countOf(simulation, 'deny')),
    text.would.human(countOf(simulation, 'human')),
    text.same(same),
    text.undetermined(undetermined),
  ];
  return (
    <>
      {since === undefined ? text.week : text.since(since)}, {text.evaluated(evaluated)}:{' '}
      {parts.join(' · ')}
    </>
  );
}
