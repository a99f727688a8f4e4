/** The fields of a level: who is asked, for how long, and whether it makes the request urgent. */
import { useState } from 'react';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { DurationField } from '../../../shared/design/fields/duration-field.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { TargetChip } from '../cards/target-chip.tsx';
import { TeamPolicy } from '../cards/team-policy.tsx';
import { useCards } from '../cards/cards-context.ts';
import { addTarget, remove, setValue } from '../document/path-edits.ts';
import type { LevelView } from '../document/read-path.ts';
import { nameKey } from '../targets-data.ts';
import { paths } from '../text.ts';
import { editing as text } from './text.ts';
import { problemIn, usePathEditing } from './path-editing.ts';
import { TargetPicker } from './target-picker.tsx';
import cards from '../cards/cards.module.css';
import classes from './editing.module.css';

export function LevelFields({ level }: { readonly level: LevelView }) {
  const { edit, problems } = usePathEditing();
  const { pointer, targets, wait, isUrgent } = level;
  return (
    <>
      <Targets level={level} />
      {targets.length === 0 && <p className={cards['problem']}>{text.noTargets}</p>}
      <div className={classes['row']}>
        <DurationField
          label={text.thenWait}
          value={wait}
          pointer={`${pointer}/escalate_after`}
          problem={problemIn(problems, `${pointer}/escalate_after`)}
          onChange={(value) => {
            edit(setValue(`${pointer}/escalate_after`, value), `${pointer}/escalate_after`);
          }}
        />
        <Checkbox
          label={text.makeUrgent}
          isChecked={isUrgent}
          onChange={(is) => {
            edit(setValue(`${pointer}/raise_urgency`, is));
          }}
        />
      </div>
    </>
  );
}

function Targets({ level: { pointer, targets } }: { readonly level: LevelView }) {
  const { edit, problems, teamId } = usePathEditing();
  const { names } = useCards();
  const [isPicking, setPicking] = useState(false);
  return (
    <>
      <ul className={cards['chips']} data-pointer={`${pointer}/targets`} tabIndex={-1}>
        {targets.map((target) => (
          <li key={target.pointer} className={classes['target']} data-pointer={target.pointer}>
            <TargetChip target={target} problem={problemIn(problems, target.pointer)} />
            <button
              type="button"
              className={classes['remove']}
              aria-label={text.removeTarget(
                names.get(nameKey(target))?.name ?? paths.targetKind[target.type],
              )}
              onClick={() => {
                edit(remove(target.pointer));
              }}
            >
              ×
            </button>
            {target.type === 'team' && <TeamPolicy teamId={target.id} />}
          </li>
        ))}
        <li>
          <LinkButton
            onClick={() => {
              setPicking(!isPicking);
            }}
          >
            {isPicking ? text.donePicking : text.addTarget}
          </LinkButton>
        </li>
      </ul>
      {isPicking && (
        <TargetPicker
          chosen={targets}
          teamId={teamId}
          onPick={(target) => {
            edit(addTarget(pointer, target));
          }}
        />
      )}
    </>
  );
}
