/** Who was and will be asked about a request, as the steps that the picture of a schedule draws. Pure. */
import type { PathPreview, PreviewedStep } from '../../../shared/schedule/schedule.ts';
import { schedule as text } from '../../../shared/text/schedule.ts';
import type { RequestDetail, Routing } from '../requests-data.ts';

type Times = Pick<RequestDetail, 'created_at' | 'deadline_at' | 'decision'>;
type Level = Routing['levels'][number];

/** A level ends where the next one begins, at the decision, or at the deadline. */
export function routedSteps(
  { created_at: created, deadline_at: deadline, decision }: Times,
  { state, levels }: Pick<Routing, 'state' | 'levels'>,
): PathPreview {
  const all = { type: 'broadcast' as const, members: [] };
  const everyone: Level = {
    ...{ node_id: 'everyone', run: 1, status: 'current', notified_at: created, targets: [all] },
  };
  const begun = (state === 'unrouted' ? [everyone] : levels).flatMap((level) => {
    const at = level.notified_at ?? level.planned_at;
    return at === undefined ? [] : [{ level, at }];
  });
  const end = decision?.decided_at ?? deadline;
  const steps = begun.map(({ level, at }, index): PreviewedStep => {
    const until = [level.escalate_at ?? begun[index + 1]?.at ?? end, end];
    return {
      kind: 'level_notified',
      at,
      until: until.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? end,
      node_id: level.node_id,
      run: level.run,
      targets: [],
      members: peopleOf(level),
      local_times: [],
    };
  });
  // What comes after the deadline is said in words.
  const inTime = steps.filter(({ at }) => Date.parse(at) < Date.parse(deadline));
  return { starts_at: created, expires_at: deadline, steps: inTime };
}

/** A team or person whose members are not known yet stands for itself. */
const peopleOf = ({ targets }: Level): NonNullable<PreviewedStep['members']> =>
  targets.flatMap(({ id = '', name = text.everyone, members }) =>
    members.length === 0
      ? [{ membership_id: `target ${id}`, display_name: name }]
      : members.map(({ membership_id, display_name }) => ({ membership_id, display_name })),
  );
