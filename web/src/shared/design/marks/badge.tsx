/** A word about the state of something. The word says it, the color only repeats it. */
import type { ReactNode } from 'react';
import classes from './badge.module.css';

/** `good`: approves, runs. `strong`: denies. `outline`: asks a person. `dashed`: asks a system, or is not in force. */
export type Tone = 'plain' | 'good' | 'strong' | 'outline' | 'dashed' | 'warn' | 'danger';

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

export function Badge({ tone = 'plain', children }: BadgeProps) {
  return (
    <span className={classes['badge']} data-tone={tone}>
      {children}
    </span>
  );
}

export type StateTone = Extract<Tone, 'plain' | 'good' | 'warn' | 'danger'>;

interface StateMarkProps {
  readonly tone: StateTone;
  readonly children: string;
}

/** The same without a frame, next to a name: a dot repeats the word. */
export function StateMark({ tone, children }: StateMarkProps) {
  return (
    <span className={classes['state']} data-tone={tone}>
      {children}
    </span>
  );
}

interface ChipProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
  /** What the button that takes the chip away is called. Without it there is none. */
  readonly removeLabel?: string;
  readonly onRemove?: () => void;
}

/** One of several values, which can be taken away. */
export function Chip({ tone = 'plain', children, removeLabel, onRemove }: ChipProps) {
  return (
    <span className={classes['badge']} data-tone={tone} data-chip>
      {children}
      {removeLabel !== undefined && (
        <button
          type="button"
          className={classes['remove']}
          aria-label={removeLabel}
          onClick={onRemove}
        >
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d="M3 3l6 6M9 3l-6 6" fill="none" stroke="currentcolor" strokeWidth="1.5" />
          </svg>
        </button>
      )}
    </span>
  );
}
