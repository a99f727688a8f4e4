/** A week of 7 × 24 cells, painted with the mouse, or with arrow keys and Space. */
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { paths } from '../text.ts';
import { cellsOf, withCells, type Cell } from '../document/week-cells.ts';
import type { HoursView } from '../document/read-path.ts';
import { editing as text } from './text.ts';
import classes from './editing.module.css';

interface WeekGridProps {
  readonly hours: HoursView;
  readonly onChange: (intervals: HoursView['intervals']) => void;
}

const LAST_DAY = 6;
const LAST_HOUR = 23;
const HOURS_A_LABEL = 3;
const LABELLED_HOURS = [0, 3, 6, 9, 12, 15, 18, 21];
const STEPS: Readonly<Record<string, Cell>> = {
  ArrowLeft: { day: 0, hour: -1 },
  ArrowRight: { day: 0, hour: 1 },
  ArrowUp: { day: -1, hour: 0 },
  ArrowDown: { day: 1, hour: 0 },
};

const within = (value: number, last: number): number => Math.min(last, Math.max(0, value));
const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

export function WeekGrid({ hours, onChange }: WeekGridProps) {
  const cells = cellsOf(hours.intervals);
  const { at, table, onKeyDown, start, enter } = usePainting({ hours, onChange }, cells);
  return (
    <div className={classes['weekScroll']}>
      <table
        ref={table}
        role="grid"
        className={classes['week']}
        aria-label={text.week(hours.name)}
        onKeyDown={onKeyDown}
      >
        {/* Each cell says its hour. */}
        <thead aria-hidden="true">
          <tr>
            <td />
            {LABELLED_HOURS.map((hour) => (
              <td key={hour} colSpan={HOURS_A_LABEL}>
                {hourText(hour)}
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.map((states, day) => (
            <tr key={day} role="row">
              <th scope="row">{paths.weekdays[day]}</th>
              {states.map((state, hour) => (
                <td
                  key={hour}
                  role="gridcell"
                  data-cell={`${day} ${hour}`}
                  data-state={state}
                  tabIndex={at.day === day && at.hour === hour ? 0 : -1}
                  aria-label={text.cell(
                    paths.weekdays[day] ?? '',
                    hourText(hour),
                    text.cellState[state],
                  )}
                  title={`${paths.weekdays[day]} ${hourText(hour)}`}
                  onPointerDown={start({ day, hour })}
                  onPointerEnter={enter({ day, hour })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A pointer that is down paints all cells as it painted the first one. */
function usePainting({ hours, onChange }: WeekGridProps, cells: ReturnType<typeof cellsOf>) {
  const table = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<Cell>({ day: 0, hour: 9 });
  const painting = useRef<boolean>(undefined);
  const isOpenAt = ({ day, hour }: Cell) => cells[day]?.[hour] === 'open';
  const paint = (cell: Cell, isOpen: boolean) => {
    onChange(withCells(hours.intervals, [cell], isOpen) as HoursView['intervals']);
  };
  const move = (step: Cell) => {
    const [day, hour] = [
      within(at.day + step.day, LAST_DAY),
      within(at.hour + step.hour, LAST_HOUR),
    ];
    setAt({ day, hour });
    table.current?.querySelector<HTMLElement>(`[data-cell="${day} ${hour}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step && event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    if (step) move(step);
    else paint(at, !isOpenAt(at));
  };
  const start = (cell: Cell) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const isOpen = !isOpenAt(cell);
    painting.current = isOpen;
    setAt(cell);
    paint(cell, isOpen);
    const end = () => {
      painting.current = undefined;
    };
    window.addEventListener('pointerup', end, { once: true });
  };
  const enter = (cell: Cell) => () => {
    if (painting.current !== undefined && isOpenAt(cell) !== painting.current)
      paint(cell, painting.current);
  };
  return { at, table, onKeyDown, start, enter };
}
