/** The deadline in the picture of a schedule, to be dragged, or moved with the arrow keys. */
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { schedule as text } from '../text/schedule.ts';
import { durationText } from '../text/times.ts';
import { instantAt, LEAST_SECONDS, MOST_SECONDS, nearestStop, nextStop } from './deadline-steps.ts';
import type { Range } from './zone-times.ts';
import classes from './schedule-picture.module.css';

interface DeadlineHandleProps {
  /** The times of the picture. */
  readonly range: Range;
  readonly deadline: number;
  readonly place: (at: number) => number;
  readonly top: number;
  readonly height: number;
  /** In seconds after the start. */
  readonly onDeadline: (seconds: number) => void;
}

const STEPS: Readonly<Record<string, -1 | 1>> = {
  ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
};

export function DeadlineHandle(props: DeadlineHandleProps) {
  const { range, deadline, place, top, height, onDeadline } = props;
  /** While it is dragged. The rest of the picture stays as it is until then. */
  const [dragged, setDragged] = useState<number>();
  /** Where it was moved to, until the picture has it there. */
  const [moved, setMoved] = useState({ seconds: 0, from: 0 });
  const shown = moved.from === deadline ? moved.seconds : (deadline - range.from) / 1_000;
  const seconds = dragged ?? Math.round(shown);
  const x = `${(100 * place(range.from + seconds * 1_000)).toFixed(3)}%`;
  const secondsAt = ({ clientX, currentTarget }: PointerEvent<SVGGElement>): number => {
    const box = currentTarget.ownerSVGElement?.getBoundingClientRect();
    const share = box ? (clientX - box.left) / box.width : 0;
    return nearestStop((instantAt(place, range, share) - range.from) / 1_000);
  };
  const moveTo = (to: number) => {
    setMoved({ seconds: to, from: deadline });
    onDeadline(to);
  };
  const step = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moveTo(nextStop(seconds, by));
  };
  return (
    <g
      className={classes['handle']}
      role="slider"
      tabIndex={0}
      aria-label={text.deadline}
      aria-valuemin={LEAST_SECONDS}
      aria-valuemax={MOST_SECONDS}
      aria-valuenow={seconds}
      aria-valuetext={text.afterStart(durationText(seconds))}
      onKeyDown={step}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(seconds);
      }}
      onPointerMove={(event) => {
        if (dragged !== undefined) setDragged(secondsAt(event));
      }}
      onPointerUp={() => {
        if (dragged !== undefined) moveTo(dragged);
        setDragged(undefined);
      }}
      onPointerCancel={() => {
        setDragged(undefined);
      }}
    >
      <Shape {...{ x, top, height, dragged }} />
    </g>
  );
}

interface ShapeProps extends Pick<DeadlineHandleProps, 'top' | 'height'> {
  readonly x: string;
  readonly dragged: number | undefined;
}

function Shape({ x, top, height, dragged }: ShapeProps) {
  return (
    <>
      <line className={classes['line']} data-kind="deadline" x1={x} x2={x} y1={top} y2={height} />
      {/* Wide enough for a finger. */}
      <line className={classes['grip']} x1={x} x2={x} y1={top} y2={height} />
      <circle className={classes['knob']} cx={x} cy={height - 8} r="7" />
      {dragged !== undefined && (
        <text
          className={classes['label']}
          data-deadline="true"
          x={x}
          y={height + 14}
          textAnchor="end"
        >
          {durationText(dragged)}
        </text>
      )}
    </>
  );
}
