/** Who is asked when, as a picture: time from left to right, and a lane per person. */
import { useId, type ReactNode } from 'react';
import { ForeignText } from '../exact/foreign-text.tsx';
import { schedule as text } from '../text/schedule.ts';
import { DeadlineHandle } from './deadline-handle.tsx';
import { openRanges, type WorkingHours } from './open-hours.ts';
import { labelledTimes, scaleOf, timesOf, type Bar, type Lane, type Schedule } from './schedule.ts';
import { clockChanges, labelOf, type Zone } from './zone-times.ts';
import classes from './schedule-picture.module.css';

interface PictureProps {
  readonly schedule: Schedule;
  readonly hours?: readonly WorkingHours[];
  /** Whose clocks the labels show. */
  readonly zone: Zone;
  /** What begins later is still to come. */
  readonly now?: number;
  readonly nowIs?: 'now' | 'decided';
  /** Next to a text, without times of hours. */
  readonly isSmall?: boolean;
  /** The node that is looked at, here or elsewhere on the page. */
  readonly active?: string | undefined;
  readonly onActive?: ((nodeId: string | undefined) => void) | undefined;
  /** The deadline can be moved: in seconds after the start. */
  readonly onDeadline?: ((seconds: number) => void) | undefined;
}

/** In pixels, as in the styles. */
const AXIS = 28;
const HOURS_ROW = 18;
const ROW = 34;
const BAR = 14;
const LABEL_ROOM = 0.14;
const SMALL_LABEL_ROOM = 0.3;
const MOST_NAMES = 2;

export function SchedulePicture(props: PictureProps) {
  const { schedule, hours = [], zone } = props;
  const place = scaleOf(timesOf(schedule));
  const height = AXIS + hours.length * HOURS_ROW + Math.max(1, schedule.lanes.length) * ROW;
  return (
    <figure className={classes['picture']} data-small={props.isSmall === true}>
      <div className={classes['scroll']} tabIndex={0} role="region" aria-label={text.picture}>
        <div className={classes['sheet']}>
          <div className={classes['names']}>
            {hours.map(({ id, name }) => (
              <p key={id} className={classes['hoursName']}>
                <ForeignText text={name} isName />
              </p>
            ))}
            {schedule.lanes.length === 0 && <p className={classes['name']}>{text.noPerson}</p>}
            {schedule.lanes.map((lane) => (
              <p key={lane.key} className={classes['name']} data-empty={lane.names.length === 0}>
                <Names names={lane.names} />
              </p>
            ))}
          </div>
          <svg className={classes['times']} height={height}>
            <g aria-hidden="true">
              <Hours {...props} place={place} />
              <Lanes {...props} place={place} top={AXIS + hours.length * HOURS_ROW} />
              <Lines {...props} place={place} height={height} zone={zone} />
            </g>
            {props.onDeadline && schedule.deadline !== undefined && (
              <DeadlineHandle
                {...{ place, height, deadline: schedule.deadline, onDeadline: props.onDeadline }}
                range={schedule}
                top={AXIS - 8}
              />
            )}
          </svg>
        </div>
      </div>
      {schedule.hidden > 0 && <p className={classes['hint']}>{text.hidden(schedule.hidden)}</p>}
      <Legend {...props} />
    </figure>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return text.noPerson;
  const shown = names.slice(0, names.length > MOST_NAMES ? 1 : MOST_NAMES);
  return (
    <>
      {shown.map((name, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <ForeignText text={name} isName />
        </span>
      ))}
      {names.length > shown.length && ` ${text.andMore(names.length - shown.length)}`}
    </>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

interface Placed extends PictureProps {
  readonly place: (at: number) => number;
}

function Hours({ schedule, hours = [], place }: Placed) {
  return hours.map((set, row) =>
    openRanges(set, schedule).map(({ from, to }) => (
      <rect
        key={`${set.id} ${from}`}
        className={classes['open']}
        x={percent(place(from))}
        y={AXIS + row * HOURS_ROW + 4}
        width={percent(place(to) - place(from))}
        height={HOURS_ROW - 8}
      />
    )),
  );
}

function Lanes({ schedule, place, top, now, active, onActive }: Placed & { readonly top: number }) {
  const hatch = `hatch${useId().replaceAll(/\W/g, '')}`;
  return (
    <>
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
        <path d="M0 6 6 0" className={classes['hatch']} />
      </pattern>
      {schedule.lanes.map((lane, row) => (
        <g key={lane.key}>
          <line
            className={classes['lane']}
            x1="0"
            x2="100%"
            y1={top + row * ROW + ROW / 2}
            y2={top + row * ROW + ROW / 2}
          />
          {lane.bars.map((bar, index) => (
            <BarShape
              key={index}
              bar={bar}
              place={place}
              y={top + row * ROW + (ROW - BAR) / 2}
              fill={bar.kind === 'waits' && !bar.isLate ? `url(#${hatch})` : undefined}
              isActive={bar.nodeId === active}
              isPlanned={isPlanned(bar, now)}
              onActive={onActive}
            />
          ))}
          <Messages lane={lane} place={place} now={now} y={top + row * ROW} />
        </g>
      ))}
    </>
  );
}

const isPlanned = ({ from }: Pick<Bar, 'from'>, now = Infinity): boolean => from > now;

function BarShape({
  bar,
  place,
  y,
  fill,
  isActive,
  isPlanned: isLater,
  onActive,
}: {
  readonly bar: Bar;
  readonly place: (at: number) => number;
  readonly y: number;
  readonly fill: string | undefined;
  readonly isActive: boolean;
  readonly isPlanned: boolean;
  readonly onActive: PictureProps['onActive'];
}) {
  return (
    <rect
      className={classes['bar']}
      data-kind={bar.kind}
      data-late={bar.isLate}
      data-active={isActive}
      data-planned={isLater}
      x={percent(place(bar.from))}
      y={y}
      width={percent(place(bar.to) - place(bar.from))}
      height={BAR}
      rx="2"
      fill={fill}
      onPointerEnter={() => onActive?.(bar.nodeId)}
      onPointerLeave={() => onActive?.(undefined)}
    />
  );
}

function Messages({
  lane,
  place,
  now,
  y,
}: {
  readonly lane: Lane;
  readonly place: (at: number) => number;
  readonly now: number | undefined;
  readonly y: number;
}) {
  return lane.messages.map(({ from, isLate }, index) => (
    <line
      key={index}
      className={classes['message']}
      data-late={isLate || isPlanned({ from }, now)}
      x1={percent(place(from))}
      x2={percent(place(from))}
      y1={y + 5}
      y2={y + ROW - 5}
    />
  ));
}

function Lines({
  schedule,
  hours = [],
  place,
  zone,
  now,
  height,
  isSmall = false,
  onDeadline,
}: Placed & { readonly height: number }) {
  const { from, to, deadline, firstAsked } = schedule;
  const changes = zonesOf(hours).flatMap((each) => [...clockChanges(each, schedule)]);
  const important = [from, deadline, firstAsked, now, to, ...changes, ...timesOf(schedule)];
  const within = important.filter((at) => at !== undefined && at >= from && at <= to) as number[];
  const labels = labelledTimes(within, place, isSmall ? SMALL_LABEL_ROOM : LABEL_ROOM);
  const show = labelOf(schedule);
  return (
    <>
      {labels.map((at) => (
        <text
          key={at}
          className={classes['label']}
          data-deadline={at === deadline}
          x={percent(place(at))}
          y={AXIS - 14}
          textAnchor={anchorOf(place(at))}
        >
          {show(zone, at)}
        </text>
      ))}
      {changes.map((at) => (
        <Line key={at} kind="clocks" x={percent(place(at))} height={height} />
      ))}
      {now !== undefined && now >= from && now <= to && (
        <Line kind="now" x={percent(place(now))} height={height} />
      )}
      {deadline !== undefined && !onDeadline && (
        <Line kind="deadline" x={percent(place(deadline))} height={height} />
      )}
    </>
  );
}

const zonesOf = (hours: readonly WorkingHours[]): readonly string[] => [
  ...new Set(hours.map(({ timezone }) => timezone)),
];

function anchorOf(share: number): 'start' | 'middle' | 'end' {
  if (share < 0.08) return 'start';
  return share > 0.92 ? 'end' : 'middle';
}

interface LineProps {
  readonly kind: 'clocks' | 'now' | 'deadline';
  readonly x: string;
  readonly height: number;
}

const Line = ({ kind, x, height }: LineProps) => (
  <line className={classes['line']} data-kind={kind} x1={x} x2={x} y1={AXIS - 8} y2={height} />
);

function Legend({ schedule, hours = [], zone, now, nowIs }: PictureProps) {
  const bars = schedule.lanes.flatMap((lane) => lane.bars);
  const inTime = bars.filter(({ isLate }) => !isLate);
  const has = (kind: Bar['kind']) =>
    inTime.some((bar) => bar.kind === kind && !isPlanned(bar, now));
  return (
    <figcaption className={classes['legend']}>
      {has('asked') && <Key kind="asked">{text.legend.asked}</Key>}
      {has('waits') && <Key kind="waits">{text.legend.waits}</Key>}
      {inTime.some((bar) => isPlanned(bar, now)) && <Key kind="planned">{text.legend.planned}</Key>}
      {bars.some(({ isLate }) => isLate) && <Key kind="late">{text.legend.late}</Key>}
      {hours.length > 0 && <Key kind="open">{text.legend.open}</Key>}
      {zonesOf(hours).map(
        (each) =>
          clockChanges(each, schedule).length > 0 && (
            <Key key={each} kind="clocks">
              {text.clocksChange(each)}
            </Key>
          ),
      )}
      {nowIs && <Key kind="now">{text[nowIs]}</Key>}
      {schedule.deadline !== undefined && (
        <Key kind="deadline">
          {text.deadline} {labelOf(schedule)(zone, schedule.deadline)}
        </Key>
      )}
    </figcaption>
  );
}

const Key = ({ kind, children }: { readonly kind: string; readonly children: ReactNode }) => (
  <span className={classes['key']} data-kind={kind}>
    {children}
  </span>
);
