/** The same as the picture, in words: what happens, in order. */
import { useState } from 'react';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { schedule as text } from '../text/schedule.ts';
import type { PreviewedStep } from './schedule.ts';
import { dateTime, type Zone } from './zone-times.ts';
import classes from './step-list.module.css';

interface StepListProps {
  readonly steps: readonly PreviewedStep[];
  readonly zone: Zone;
  readonly active?: string | undefined;
  readonly onActive?: ((nodeId: string | undefined) => void) | undefined;
}

const FIRST = 8;

export function StepList({ steps, zone, active, onActive }: StepListProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? steps : steps.slice(0, FIRST);
  return (
    <>
      <ol className={classes['steps']} aria-label={text.order}>
        {shown.map((step, index) => (
          <li
            key={index}
            className={classes['step']}
            data-active={step.node_id === active}
            data-late={step.after_deadline === true}
            onPointerEnter={() => onActive?.(step.node_id)}
            onPointerLeave={() => onActive?.(undefined)}
          >
            <span className={classes['time']}>{dateTime(zone, Date.parse(step.at))}</span>
            <span>
              <What step={step} zone={zone} />
              {step.team_name !== undefined && (
                <span className={classes['hint']}>
                  , {text.inTeam} <ForeignText text={step.team_name} isName />
                </span>
              )}
              {step.after_deadline === true && (
                <span className={classes['late']}> ({text.lateStep})</span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {!isWhole && steps.length > FIRST && (
        <LinkButton
          onClick={() => {
            setIsWhole(true);
          }}
        >
          {text.moreSteps(steps.length - FIRST)}
        </LinkButton>
      )}
    </>
  );
}

function What({ step, zone }: { readonly step: PreviewedStep; readonly zone: Zone }) {
  const { kind, until } = step;
  switch (kind) {
    case 'level_notified':
      return <Asked step={step} />;
    case 'deferred':
      return `${text.step.deferred} ${dateTime(zone, Date.parse(until ?? step.at))}`;
    case 'branch_taken':
      return text.step.branch_taken[step.branch ?? 'else'];
    default:
      return text.step[kind];
  }
}

const MOST_NAMES = 5;

/** `Refund desk: Mia, Jonas`. */
function Asked({ step: { targets, members = [] } }: { readonly step: PreviewedStep }) {
  const groups = targets.filter(({ type }) => type !== 'user');
  return (
    <>
      {groups.map(({ id, name }, index) => (
        <strong key={id ?? index}>
          {index > 0 && ', '}
          {name === undefined ? text.everyone : <ForeignText text={name} isName />}
        </strong>
      ))}
      {groups.length > 0 && ': '}
      {members
        .slice(0, MOST_NAMES)
        .map(({ membership_id: id, display_name: name, steps }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <ForeignText text={name} isName />
            {steps && (
              <span className={classes['hint']}> ({steps.map(text.personalStep).join(', ')})</span>
            )}
          </span>
        ))}
      {members.length > MOST_NAMES && ` ${text.andMore(members.length - MOST_NAMES)}`}
    </>
  );
}
