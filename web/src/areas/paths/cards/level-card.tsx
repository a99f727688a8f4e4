/** A level: who is asked, and for how long. */
import type { ReactNode } from 'react';
import type { LevelView } from '../document/read-path.ts';
import { LevelFields } from '../editing/level-fields.tsx';
import { useMayEdit } from '../editing/path-editing.ts';
import { paths as text } from '../text.ts';
import classes from './cards.module.css';
import { TargetChip } from './target-chip.tsx';
import { TeamPolicy } from './team-policy.tsx';
import { waitText } from '../document/wait-text.ts';

interface LevelCardProps {
  readonly level: LevelView;
  /** What can be done with it. */
  readonly children?: ReactNode;
}

export function LevelCard({ level, children }: LevelCardProps) {
  const isEdited = useMayEdit() !== undefined;
  const { targets, wait, isUrgent } = level;
  return (
    <section className={classes['card']} data-kind="level">
      <p className={classes['title']}>
        {text.ask}
        {isUrgent && !isEdited && <span className={classes['mark']}>{text.urgent}</span>}
        {children}
      </p>
      {isEdited ? (
        <LevelFields level={level} />
      ) : (
        <>
          <ul className={classes['chips']}>
            {targets.map((target) => (
              <li key={target.pointer}>
                <TargetChip target={target} />
                {target.type === 'team' && <TeamPolicy teamId={target.id} />}
              </li>
            ))}
          </ul>
          <p className={classes['hint']}>{text.thenWait(waitText(wait))}</p>
        </>
      )}
    </section>
  );
}
